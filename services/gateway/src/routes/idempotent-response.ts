import type { EntityManager } from '@mikro-orm/postgresql';
import { problemResponse, runOnce, type IdempotentCall } from '@billing/service/idempotency';
import { z } from 'zod';
import type { KeySecrets } from '#domain/api-key-secret.ts';
import { toProblem } from '#http/problem-response.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly reissueSecret: KeySecrets['reissue'];
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

/** Stores responses, errors included, but never a secret: a repeat derives it again. */
export function respondOnce({ em, reissueSecret }: Dependencies): RespondOnce {
  return async ({ call, requestId, status }, run) => {
    const stored = await runOnce(em, call, async operationKey => {
      try {
        return { status, body: JSON.stringify(removeSecret(await run(operationKey), operationKey)) };
      } catch (err) {
        const problem = toProblem(err);
        if (problem.isTransient) throw err;
        return problemResponse(problem, requestId);
      }
    });
    return { ...stored, body: restoreSecret(stored.body, reissueSecret) };
  };
}

/** A stored response from which a secret was removed. */
const responseWithoutSecret = z.looseObject({
  apiKey: z.looseObject({ prefix: z.string(), last4: z.string() }),
  secretOf: z.uuid(),
});

function removeSecret(body: object, operationKey: string): object {
  if (!('secret' in body)) return body;
  const { secret: _secret, ...visible } = body;
  return { ...visible, secretOf: operationKey };
}

function restoreSecret(stored: string, reissueSecret: KeySecrets['reissue']): object {
  const body = z.looseObject({}).parse(JSON.parse(stored));
  const parsed = responseWithoutSecret.safeParse(body);
  if (!parsed.success) return body;
  const { secretOf, ...visible } = parsed.data;
  return { ...visible, secret: reissueSecret(secretOf, visible.apiKey) };
}
