import { signatureOf } from '@billing/testing/signed-webhooks';
import { inject } from 'vitest';
import { post, type WebhookResponse } from '../faults/events/post-webhook.ts';
import type { Tenant } from '../system/tenant.ts';

/** Posts an event to the team's webhook URL, signed as the processor does; its sender may write anything into it. */
export function postEvent({ teamId, webhookSecret }: Tenant, event: object): Promise<WebhookResponse> {
  const body = JSON.stringify(event);
  return post(body, { gatewayUrl: inject('gatewayUrl'), teamId, signature: signatureOf(body, [webhookSecret]) });
}
