import { signatureOf } from '@billing/testing/signed-webhooks';
import type { Tenant } from '../../system/tenant.ts';
import { recordAttempt } from '../system/sender.ts';
import type { SentEvent } from '../system/sent-requests.ts';

/** The two webhook paths; `stripe` is the older one. */
export type WebhookPath = 'processor' | 'stripe';

/** Of an acknowledgement, or of an error. */
interface WebhookBody {
  readonly received?: boolean;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: string; readonly message: string; readonly requestId: string };
}

export interface WebhookResponse {
  readonly status: number;
  /** Undefined without one. */
  readonly body: WebhookBody | undefined;
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
    return { status: response.status, body: text ? (JSON.parse(text) as WebhookBody) : undefined }; // tests check what they expect
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
  const response = await post(event.body, { gatewayUrl, teamId, path, signature: signatureOf(event.body, secrets) });
  recordAttempt(event, response.status);
  return response;
}
