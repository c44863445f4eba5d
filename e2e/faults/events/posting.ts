import { createHmac } from 'node:crypto';
import type { Tenant } from '../../system/tenant.ts';
import { outcomeOf, type SentEvent } from '../system/sent.ts';

/** The address of now, and the older one. */
export type ReceiverPath = 'processor' | 'stripe';

export interface Received {
  readonly status: number;
  // What comes back is what the tests are about.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface Posting {
  readonly gatewayUrl: string;
  readonly teamId: string;
  readonly path?: ReceiverPath;
  /** None at all if undefined. */
  readonly signature: string | undefined;
}

/** Posts any bytes as the processor would; an answer that does not come has status 0. */
export async function post(
  body: string | Uint8Array<ArrayBuffer>,
  { gatewayUrl, teamId, path = 'processor', signature }: Posting,
): Promise<Received> {
  const headers = {
    'content-type': 'application/json',
    ...(signature !== undefined && { 'stripe-signature': signature }),
  };
  try {
    const answer = await fetch(`${gatewayUrl}/api/webhooks/${path}/${teamId}`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : undefined };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** Posts an event signed with these secrets, and notes the outcome. */
export async function postSigned(
  event: SentEvent,
  secrets: readonly string[],
  { teamId }: Pick<Tenant, 'teamId'>,
  { gatewayUrl, path = 'processor' }: { gatewayUrl: string; path?: ReceiverPath },
): Promise<Received> {
  const answer = await post(event.body, { gatewayUrl, teamId, path, signature: sign(event.body, secrets) });
  event.answers.push(answer.status);
  if (event.outcome !== 'ok') event.outcome = outcomeOf(answer.status);
  return answer;
}

/** A signature of each secret in one header, as the processor sends while a secret rolls; `at` in Unix seconds. */
export function sign(
  body: string | Uint8Array,
  secrets: readonly string[],
  at = Math.floor(Date.now() / 1_000),
): string {
  const of = (secret: string) => createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  return [`t=${at}`, ...secrets.map(secret => `v1=${of(secret)}`)].join(',');
}
