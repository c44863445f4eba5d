import { createHmac } from 'node:crypto';
import type { Tenant } from '../../system/tenant.ts';
import { recordAttempt } from '../system/sender.ts';
import type { SentEvent } from '../system/sent-requests.ts';

/** The two webhook paths; `stripe` is the older one. */
export type WebhookPath = 'processor' | 'stripe';

export interface WebhookResponse {
  readonly status: number;
  // Each test checks the fields it expects.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface Posting {
  readonly gatewayUrl: string;
  readonly teamId: string;
  readonly path?: WebhookPath;
  /** Undefined sends no signature header. */
  readonly signature: string | undefined;
}

/** Posts any bytes to a webhook URL. The status is 0 when no response arrives. */
export async function post(
  body: string | Uint8Array<ArrayBuffer>,
  { gatewayUrl, teamId, path = 'processor', signature }: Posting,
): Promise<WebhookResponse> {
  const headers = {
    'content-type': 'application/json',
    ...(signature !== undefined && { 'stripe-signature': signature }),
  };
  try {
    const response = await fetch(`${gatewayUrl}/api/webhooks/${path}/${teamId}`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  } catch {
    return { status: 0, body: undefined };
  }
}

/** Posts an event signed with all of `secrets`, and records the outcome. */
export async function postSigned(
  event: SentEvent,
  secrets: readonly string[],
  { teamId }: Pick<Tenant, 'teamId'>,
  { gatewayUrl, path = 'processor' }: { gatewayUrl: string; path?: WebhookPath },
): Promise<WebhookResponse> {
  const response = await post(event.body, { gatewayUrl, teamId, path, signature: sign(event.body, secrets) });
  recordAttempt(event, response.status);
  return response;
}

/** Returns one header with a signature per secret, as Stripe sends while a secret is rolled; `at` is in Unix seconds. */
export function sign(
  body: string | Uint8Array,
  secrets: readonly string[],
  at = Math.floor(Date.now() / 1_000),
): string {
  const digest = (secret: string) => createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  return [`t=${at}`, ...secrets.map(secret => `v1=${digest(secret)}`)].join(',');
}
