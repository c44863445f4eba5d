import type { z } from 'zod';
import type { processorAccount } from '../../resources/processor-account.ts';
import type { webhookEvent } from '../../resources/webhook-event.ts';
import { exampleSubscription } from './billing.ts';
import { createdAt, exampleIds } from './shared.ts';

export const exampleProcessor = {
  connected: true,
  accountId: 'acct_1Example2eZvKYlo2',
  livemode: false,
  publishableKey: 'pk_test_example',
  secretKeyLast4: 'mple',
  webhookUrl: `https://billing.example.com/api/webhooks/processor/${exampleIds.team}`,
  apiVersion: '2026-10-28.endive',
  connectedAt: createdAt,
  updatedAt: createdAt,
} as const satisfies z.input<typeof processorAccount>;

export const exampleWebhookEvent = {
  id: exampleIds.webhookEvent,
  teamId: exampleIds.team,
  projectId: exampleIds.project,
  type: 'customer.subscription.created',
  apiVersion: '2026-10-28.endive',
  livemode: false,
  objectId: exampleSubscription.processorSubscriptionId,
  status: 'processed',
  routedBy: 'object-metadata',
  attempts: 1,
  error: null,
  processorCreatedAt: createdAt,
  receivedAt: createdAt,
  processedAt: createdAt,
  recovered: false,
} as const satisfies z.input<typeof webhookEvent>;

/** An event of another product's customer in the same account. */
export const exampleForeignEvent = {
  ...exampleWebhookEvent,
  id: 'evt_1ForeignEvent2eZvKYlo2',
  projectId: null,
  type: 'invoice.paid',
  objectId: 'in_1ForeignInvoice2eZvKYlo2',
  status: 'ignored',
  routedBy: null,
  attempts: 3,
  error: 'foreign',
} as const satisfies z.input<typeof webhookEvent>;

/** A shortened webhook event. Stripe: https://docs.stripe.com/api/events/object */
export const exampleProcessorEvent = {
  id: exampleIds.webhookEvent,
  object: 'event',
  type: 'customer.subscription.created',
  created: 1_772_443_800,
  livemode: false,
  api_version: '2026-10-28.endive',
  data: { object: { id: exampleSubscription.processorSubscriptionId, object: 'subscription', status: 'active' } },
} as const;
