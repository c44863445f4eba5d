import type { EventType } from '../event.ts';
import { SERVICES, type ServiceName } from '../operation.ts';
import { PROCESSOR_EVENT_OWNERS, processorEvent, ProcessorEventCompleted, isHandled } from '../processor-events.ts';
import { AuditRecorded } from './audit.ts';
import { BillingDetailsUpdated } from './billing-details.ts';
import { PriceCreated, PriceDeleted, PriceUpdated, ProductCreated, ProductDeleted, ProductUpdated } from './catalog.ts';
import { CouponSaved, PromotionCodeSaved } from './discounts.ts';
import { CustomerStateChanged } from './customer-state.ts';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from './customers.ts';
import { ProductFeatureSaved, FeatureSaved, GrantSaved } from './features.ts';
import { ProjectCreated, ProjectUpdated } from './gateway.ts';
import { InvoiceSaved, PaymentSaved } from './money.ts';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
  ReferralCreditSaved,
} from './referrals.ts';
import { SubscriptionCanceled, SubscriptionCreated, SubscriptionUpdated } from './subscriptions.ts';
import { TestClockSaved } from './test-clocks.ts';
import { UsageRejected } from './usage.ts';
import {
  MIRRORING_SERVICES,
  ProcessorAccountChanged,
  PurgeFinished,
  PurgeReported,
  PurgeStarted,
  SyncApplied,
  WebhookEndpointFailed,
  WebhookEventsCounted,
} from './webhooks.ts';

interface PublishedEvent {
  readonly type: EventType;
  readonly publishedBy: readonly ServiceName[];
  /** What happened, where the name does not say all. */
  readonly meaning?: string;
}

const event = (publisher: ServiceName, type: EventType, meaning?: string): PublishedEvent => ({
  type,
  publishedBy: [publisher],
  ...(meaning !== undefined && { meaning }),
});

const processorEvents = Object.keys(PROCESSOR_EVENT_OWNERS).flatMap(type =>
  isHandled(type) ? [event('webhooks', processorEvent(type))] : [],
);

/** Every event on the bus and the services that publish it. */
export const allEvents: readonly PublishedEvent[] = [
  event('gateway', ProjectCreated),
  event(
    'gateway',
    ProjectUpdated,
    'A project changed its name, base currency, days of grace, or whether it computes tax',
  ),
  {
    type: AuditRecorded,
    publishedBy: SERVICES,
    meaning: 'A write by API, portal or operator’s command took effect; the gateway adds it to the audit log',
  },
  event('webhooks', ProcessorAccountChanged, 'A team connected the processor or changed its credentials'),
  event('webhooks', PurgeStarted, 'A team is purged of everything that mirrors its account at the processor'),
  event('webhooks', PurgeFinished, 'Every service has deleted what mirrored the account'),
  { type: PurgeReported, publishedBy: MIRRORING_SERVICES, meaning: 'A service has done a step of a purge' },
  event('webhooks', SyncApplied, 'A sync recorded objects of the processor that the project did not have'),
  event('webhooks', WebhookEventsCounted, 'The numbers of webhook events of a project changed'),
  {
    type: ProcessorEventCompleted,
    publishedBy: ['catalog', 'customers', 'subscriptions'],
    meaning: 'The owning service completed webhook events',
  },
  event('webhooks', WebhookEndpointFailed, 'An endpoint of a tenant fails for a day, or was disabled for that'),
  event('catalog', ProductCreated),
  event('catalog', ProductUpdated),
  event('catalog', ProductDeleted),
  event('catalog', PriceCreated),
  event('catalog', PriceUpdated),
  event('catalog', PriceDeleted),
  event('catalog', CouponSaved, 'A coupon was created, redeemed, changed or deleted'),
  event('catalog', PromotionCodeSaved, 'A promotion code was created, redeemed, changed or deleted'),
  event('catalog', FeatureSaved, 'A feature was defined or changed'),
  event('catalog', ProductFeatureSaved, 'A product or a price gives another value of a feature, or none any more'),
  event('customers', CustomerCreated),
  event('customers', CustomerUpdated),
  event('customers', CustomerDeleted),
  event('customers', BillingDetailsUpdated, 'The address, the tax ids or another billing detail of a customer changed'),
  event('customers', GrantSaved, 'A feature was given to a customer, or taken back'),
  event('customers', TestClockSaved, 'A test clock was created or deleted'),
  event('customers', UsageRejected, 'The processor refused usage, or it cannot be known whether it has it'),
  event('subscriptions', SubscriptionCreated, 'A subscription was created, or seen for the first time'),
  event('subscriptions', SubscriptionUpdated),
  event('subscriptions', SubscriptionCanceled),
  event('subscriptions', InvoiceSaved, 'An invoice was created, or changed'),
  event('subscriptions', PaymentSaved, 'A payment was made, or changed'),
  event('subscriptions', CustomerStateChanged, 'What a customer may use changed, or how far payments are past due'),
  event('referrals', ReferralCodeCreated),
  event('referrals', ReferralCodeDeactivated),
  event('referrals', ReferralCreated, 'A code was applied to a new customer'),
  event('referrals', ReferralConverted, 'A referred customer subscribed'),
  event('referrals', ReferralCreditSaved, 'A credit reached a customer’s balance, or failed for good'),
  ...processorEvents,
];
