import type { EntityManager } from '@mikro-orm/postgresql';
import { respondOnce, type IdempotentCall } from '@billing/service/idempotency';
import { z } from 'zod';
import type { KeySecrets } from '#domain/api-key-secret.ts';
import { hashToken, type InvitationLinks } from '#domain/invitation-link.ts';
import { tokenOf } from '#domain/secret-link.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly reissueSecret: KeySecrets['reissue'];
  readonly reissueInvitation: InvitationLinks['reissue'];
}

interface IdempotentRequest {
  readonly call: IdempotentCall;
  readonly requestId: string;
  /** The status of a success. */
  readonly status: number;
}

interface IdempotentResponse {
  readonly status: number;
  readonly body: object;
  readonly replayed: boolean;
}

/** Runs a request with an `Idempotency-Key` once; a repeat gets the response of the first one. */
export type RespondOnce = (
  request: IdempotentRequest,
  run: (operationKey: string) => Promise<object>,
) => Promise<IdempotentResponse>;

/** Stores responses, most errors included, but never a secret: a repeat derives it again. */
export function respondWithoutSecret({ em, ...reissue }: Dependencies): RespondOnce {
  return async ({ call, requestId, status }, run) => {
    const stored = await respondOnce(em, call, requestId, async operationKey => ({
      status,
      body: JSON.stringify(removeSecret(await run(operationKey), operationKey)),
    }));
    return { ...stored, body: restoreSecret(stored.body, reissue) };
  };
}

/** Stored responses from which a secret was removed. */
const keyWithoutSecret = z.looseObject({
  apiKey: z.looseObject({ prefix: z.string(), last4: z.string() }),
  secretOf: z.uuid(),
});
const invitationWithoutUrl = z.looseObject({
  invitation: z.looseObject({}),
  urlOf: z.uuid(),
  tokenHash: z.string(),
});
const invitationWithUrl = z.looseObject({ invitation: z.looseObject({ url: z.string() }) });

function removeSecret(body: object, operationKey: string): object {
  const { data: issued } = invitationWithUrl.safeParse(body);
  if (issued) {
    const { url, ...invitation } = issued.invitation;
    return { ...issued, invitation, urlOf: operationKey, tokenHash: hashToken(tokenOf(url)) };
  }
  if (!('secret' in body)) return body;
  const { secret: _secret, ...visible } = body;
  return { ...visible, secretOf: operationKey };
}

function restoreSecret(stored: string, reissue: Omit<Dependencies, 'em'>): object {
  const body = z.looseObject({}).parse(JSON.parse(stored));
  const { data: key } = keyWithoutSecret.safeParse(body);
  if (key) {
    const { secretOf, ...visible } = key;
    return { ...visible, secret: reissue.reissueSecret(secretOf, visible.apiKey) };
  }
  const { data: invited } = invitationWithoutUrl.safeParse(body);
  if (!invited) return body;
  const { urlOf, tokenHash, ...visible } = invited;
  return { ...visible, invitation: { ...visible.invitation, url: reissue.reissueInvitation(urlOf, tokenHash) } };
}
