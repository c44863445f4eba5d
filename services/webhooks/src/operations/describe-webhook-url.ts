import type { TeamId } from '@billing/contracts/ids';
import { ENDPOINT_EVENT_TYPES, OPTIONAL_EVENT_TYPES } from '@billing/contracts/processor-events';
import { API_VERSION } from '@billing/processor/stripe-client';

/** Where Stripe posts a team's events; made from the configured address, never from a request. */
export function webhookUrlOf(publicUrl: string, teamId: TeamId): string {
  return `${publicUrl.replace(/\/$/, '')}/api/webhooks/processor/${teamId}`;
}

/** The webhook URL and what to do with it at Stripe. */
export function describeWebhookUrl(publicUrl: string, teamId: TeamId): { webhookUrl: string; instructions: string } {
  const webhookUrl = webhookUrlOf(publicUrl, teamId);
  const instructions = [
    'Connect the processor with the secret key alone, and the endpoint is made for you. To make it yourself, open Developers > Webhooks in the Stripe Dashboard and add an endpoint:',
    `1. Endpoint URL: ${webhookUrl}`,
    `2. API version: ${API_VERSION}`,
    `3. Events to send (${ENDPOINT_EVENT_TYPES.length}): ${ENDPOINT_EVENT_TYPES.join(', ')}`,
    `   Optional, for refunds, disputes and deletions (${OPTIONAL_EVENT_TYPES.length}): ${OPTIONAL_EVENT_TYPES.join(', ')}`,
    '4. Connect the processor with the signing secret (whsec_…, webhookSecret) that Stripe shows for the new endpoint, together with the secret key of the same account.',
  ].join('\n');
  return { webhookUrl, instructions };
}
