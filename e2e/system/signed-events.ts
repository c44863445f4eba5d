import { newWebhookEvent, signatureOf } from '@billing/testing/signed-webhooks';
import type { Tenant } from './tenant.ts';

/** A webhook event as the processor would send it: of the account's own mode, and newer than what the account has sent. */
export const newSignedEvent = (type: string, object: object, changes: object = {}) =>
  newWebhookEvent(type, object, { created: Math.floor(Date.now() / 1_000) + 60, ...changes });

/** Posts an event to a team's webhook URL with the team's own secret; returns the status and the body of the response. */
export async function postSigned({ teamId, webhookSecret, gatewayUrl }: Tenant, event: object) {
  const body = JSON.stringify(event);
  const response = await fetch(`${gatewayUrl}/api/webhooks/processor/${teamId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, webhookSecret) },
    body,
  });
  return { status: response.status, body: (await response.json()) as unknown };
}
