import type { EventType } from '../event.ts';
import { SERVICES, type ServiceName } from '../operation.ts';
import { PROCESSOR_EVENT_OWNERS, processorEvent, ProcessorEventCompleted, isHandled } from '../processor-events.ts';
import { AuditRecorded } from './audit.ts';
import { PriceCreated, PriceDeleted, PriceUpdated, ProductCreated, ProductDeleted, ProductUpdated } from './catalog.ts';
import { CouponSaved, PromotionCodeSaved } from './discounts.ts';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from './customers.ts';
import { ProductFeatureSaved, FeatureSaved, GrantSaved } from './features.ts';
import { ProjectCreated, ProjectUpdated } from './gateway.ts';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
  ReferralCredited,
} from './referrals.ts';
import { EventsRecorded, ResourceChanged } from './resources.ts';
import { SubscriptionCanceled, SubscriptionCreated, SubscriptionUpdated } from './subscriptions.ts';
import {
  MIRRORING_SERVICES,
  ProcessorAccountChanged,
  PurgeFinished,
  PurgeReported,
  PurgeStarted,
  SyncApplied,
  WebhookEndpointFailed,
  WebhookEventChanged,
} from './webhooks.ts';

interface PublishedEvent {
  readonly type: EventType;
  readonly publishedBy: readonly ServiceName[];
  readonly meaning: string;
}

const event = (publisher: ServiceName, type: EventType, meaning: string): PublishedEvent => ({
  type,
  publishedBy: [publisher],
  meaning,
});

const processorEvents = Object.entries(PROCESSOR_EVENT_OWNERS).flatMap(([type, owner]) =>
  isHandled(type)
    ? [event('webhooks', processorEvent(type), `Webhook event \`${type}\`, routed to a project; ${owner} handles it`)]
    : [],
);

/** Every event on the bus and the services that publish it. */
export const allEvents: readonly PublishedEvent[] = [
  event('gateway', ProjectCreated, 'A project was created'),
  event('gateway', ProjectUpdated, 'A project changed its name, its base currency or its days of grace'),
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
  event('webhooks', WebhookEventChanged, 'Webhook events changed their status or project'),
  {
    type: ProcessorEventCompleted,
    publishedBy: ['catalog', 'customers', 'subscriptions'],
    meaning: 'The owning service completed webhook events',
  },
  {
    type: ResourceChanged,
    publishedBy: ['catalog', 'customers', 'subscriptions', 'referrals', 'webhooks'],
    meaning: 'A resource changed; tenants are told of it',
  },
  event('webhooks', WebhookEndpointFailed, 'An endpoint of a tenant fails for a day, or was disabled for that'),
  event('webhooks', EventsRecorded, 'Events for tenants were recorded'),
  event('catalog', ProductCreated, 'A product was created'),
  event('catalog', ProductUpdated, 'A product changed'),
  event('catalog', ProductDeleted, 'A product was deleted'),
  event('catalog', PriceCreated, 'A price was created'),
  event('catalog', PriceUpdated, 'A price changed'),
  event('catalog', PriceDeleted, 'A price was deleted'),
  event('catalog', CouponSaved, 'A coupon was created, redeemed, changed or deleted'),
  event('catalog', PromotionCodeSaved, 'A promotion code was created, redeemed, changed or deleted'),
  event('catalog', FeatureSaved, 'A feature was defined or changed.'),
  event('catalog', ProductFeatureSaved, 'A product or a price gives another value of a feature, or none any more.'),
  event('customers', CustomerCreated, 'A customer was created'),
  event('customers', CustomerUpdated, 'A customer changed'),
  event('customers', CustomerDeleted, 'A customer was deleted'),
  event('customers', GrantSaved, 'A feature was given to a customer, or taken back'),
  event('subscriptions', SubscriptionCreated, 'A subscription was created, or seen for the first time'),
  event('subscriptions', SubscriptionUpdated, 'A subscription changed'),
  event('subscriptions', SubscriptionCanceled, 'A subscription ended'),
  event('referrals', ReferralCodeCreated, 'A referral code was created'),
  event('referrals', ReferralCodeDeactivated, 'A referral code was deactivated'),
  event('referrals', ReferralCreated, 'A code was applied to a new customer'),
  event('referrals', ReferralConverted, 'A referred customer subscribed'),
  event('referrals', ReferralCredited, 'A credit reached a customer’s balance'),
  ...processorEvents,
];
