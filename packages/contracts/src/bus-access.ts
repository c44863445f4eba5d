import { allEvents } from './events/all-events.ts';
import { CustomerDeleted } from './events/customers.ts';
import { ALL_RECORDS, recordFilter } from './events/record-event.ts';
import { MIRRORING_SERVICES, ProcessorAccountChanged } from './events/webhooks.ts';
import type { EventType } from './event.ts';
import { SERVICES, type ServiceName } from './operation.ts';
import type { Rpc } from './rpc.ts';
import { CountMirrored, CountStoppedTax } from './rpc/accounts.ts';
import * as asCustomer from './rpc/as-customer.ts';
import * as calls from './rpc/calls.ts';
import * as catalog from './rpc/catalog.ts';
import { deadLetterCalls } from './rpc/dead-letters.ts';
import * as listStates from './rpc/list-states.ts';
import { AreRecorded, FindSequences } from './rpc/test-clocks.ts';
import { CompareObjects, ListLiveRecords } from './rpc/syncs.ts';

/** What a service reads from the bus and which calls it makes; what it publishes and serves, events and calls say. */
interface Declaration {
  /** The filters of its durable consumers, by their names. */
  readonly consumers?: Readonly<Record<string, string>>;
  /** The calls that it makes, its own ones included. */
  readonly calls?: readonly Rpc[];
  /** Events that it follows while it runs, without a consumer that remembers its position. */
  readonly follows?: readonly EventType[];
}

/** What every service that calls the processor needs for the teams' credentials. */
const PROCESSOR_CALLS = { calls: [calls.FindProcessorCredentials], follows: [ProcessorAccountChanged] } as const;
/** What every service needs besides whose requests work on Stripe's objects. */
const RECORD_CALLS = [...PROCESSOR_CALLS.calls, calls.ReportMissingObject];
/** What every service that handles Stripe's objects needs besides. */
const OBJECT_CALLS = [...RECORD_CALLS, calls.FindWebhookEventObject];

const DECLARATIONS: Readonly<Record<ServiceName, Declaration>> = {
  gateway: {
    consumers: {
      'gateway-audit-log': 'audit.recorded.v1',
      'gateway-accounts': 'processor-account.changed.v1',
      'gateway-webhook-endpoints': 'webhook-endpoint.failed.v1',
    },
    calls: Object.values(deadLetterCalls).flatMap(rpcsOf),
  },
  catalog: {
    ...PROCESSOR_CALLS,
    consumers: {
      'catalog-products': 'processor.product.*.v1',
      'catalog-prices': 'processor.price.*.v1',
      'catalog-coupons': 'processor.coupon.*.v1',
      'catalog-promotion-codes': 'processor.promotion_code.*.v1',
    },
    calls: [...OBJECT_CALLS, calls.FindCustomer, calls.FindCustomersByProcessorId],
  },
  customers: {
    ...PROCESSOR_CALLS,
    consumers: {
      customers: 'processor.customer.*.v1',
      'customers-tax-ids': 'processor.customer.tax_id.*.v1',
      'customers-test-clocks': 'processor.test_helpers.test_clock.*.v1',
    },
    calls: [...OBJECT_CALLS, calls.FindProject, calls.TakeInBilling, calls.FindFeature, FindSequences, AreRecorded],
  },
  subscriptions: {
    ...PROCESSOR_CALLS,
    consumers: {
      'subscriptions-customers': recordFilter('customer'),
      'subscriptions-products': recordFilter('product'),
      'subscriptions-prices': recordFilter('price'),
      'subscriptions-coupons': 'coupon.saved.v1',
      'subscriptions-promotion-codes': 'promotion-code.saved.v1',
      'subscriptions-projects': 'project.*.v1',
      'subscriptions-features': 'feature.saved.v1',
      'subscriptions-product-features': 'product-feature.saved.v1',
      'subscriptions-grants': 'grant.saved.v1',
      'subscriptions-checkouts': 'processor.checkout.>',
      'subscriptions-mirror': 'processor.customer.subscription.>',
      'subscriptions-schedules': 'processor.subscription_schedule.>',
      'subscriptions-discounts': 'processor.customer.discount.*.v1',
      'subscriptions-customer-discounts': recordFilter('customer'),
      'subscriptions-billing-details': recordFilter('customer-billing-details'),
      'subscriptions-deleted-customers': 'processor.customer.deleted.v1',
      'subscriptions-invoices': 'processor.invoice.>',
      'subscriptions-paid-invoices': 'processor.invoice.paid.v1',
      'subscriptions-failed-invoices': 'processor.invoice.payment_failed.v1',
      'subscriptions-unconfirmed-invoices': 'processor.invoice.payment_action_required.v1',
      'subscriptions-pending-changes': 'processor.invoice.payment_failed.v1',
      'subscriptions-invoice-payments': 'processor.invoice_payment.>',
      'subscriptions-payment-intents': 'processor.payment_intent.>',
      'subscriptions-charges': 'processor.charge.>',
      'subscriptions-refunds': 'processor.refund.>',
    },
    calls: [
      ...OBJECT_CALLS,
      calls.FindProject,
      calls.FindCustomer,
      calls.FindCustomerByExternalId,
      calls.FindCustomersByProcessorId,
      calls.SearchCustomers,
      calls.FindPrices,
      calls.FindPricesByKey,
      calls.FindProducts,
      calls.FindProducts,
      calls.FindPromotionCode,
    ],
  },
  referrals: {
    ...PROCESSOR_CALLS,
    consumers: {
      'referrals-customers': recordFilter('customer'),
      'referrals-subscriptions': recordFilter('subscription'),
    },
    calls: [...RECORD_CALLS, calls.FindCustomer, calls.HasSubscribed],
  },
  analytics: {
    consumers: {
      'analytics-projects': 'project.*.v1',
      'analytics-customers': recordFilter('customer'),
      'analytics-subscriptions': recordFilter('subscription'),
      'analytics-webhook-events': 'webhook-events.counted.v1',
      'analytics-referral-codes': recordFilter('referral-code'),
      'analytics-referrals': recordFilter('referral'),
      'analytics-syncs': 'sync.applied.v1',
    },
    calls: [calls.FindProject, ...rpcsOf(listStates)],
  },
  webhooks: {
    ...PROCESSOR_CALLS,
    consumers: {
      'webhooks-records': ALL_RECORDS,
      'webhooks-projects': 'project.*.v1',
      'webhooks-customers': recordFilter('customer'),
      'webhooks-products': recordFilter('product'),
      'webhooks-prices': recordFilter('price'),
      'webhooks-coupons': 'coupon.saved.v1',
      'webhooks-promotion-codes': 'promotion-code.saved.v1',
      'webhooks-test-clocks': 'test-clock.saved.v1',
      'webhooks-completions': 'processor-event.completed.v1',
      'webhooks-purge-reports': 'processor-account.purge-reported.v1',
    },
    calls: [
      ...PROCESSOR_CALLS.calls,
      calls.FindProject,
      calls.FindTeamName,
      CountStoppedTax,
      ...rpcsOf(catalog),
      ...rpcsOf(CountMirrored),
      ...rpcsOf(CompareObjects),
      ...rpcsOf(ListLiveRecords),
    ],
  },
  portal: {
    ...PROCESSOR_CALLS,
    consumers: { 'portal-customers': CustomerDeleted.name },
    calls: [
      ...RECORD_CALLS,
      calls.FindProject,
      calls.FindCustomer,
      calls.FindBillingDetails,
      calls.UpdateBillingDetails,
      asCustomer.DescribeCustomerBilling,
      asCustomer.ScheduleCancellation,
      asCustomer.FindSaveOffer,
      asCustomer.AcceptSaveOffer,
      asCustomer.PreviewCustomerPlan,
      asCustomer.ChangeCustomerPlan,
      asCustomer.DropCustomerPlan,
      asCustomer.PauseCustomerSubscription,
      asCustomer.PreviewCustomerResume,
      asCustomer.ResumeCustomerSubscription,
      calls.FindPrices,
      calls.FindPricesByKey,
      calls.FindStoredPromotionCode,
    ],
  },
};

/** Every call between services. */
export const allRpcs: readonly Rpc[] = [
  ...rpcsOf(calls),
  ...rpcsOf(asCustomer),
  ...rpcsOf(listStates),
  ...rpcsOf(catalog),
  CountStoppedTax,
  FindSequences,
  AreRecorded,
  ...rpcsOf(CountMirrored),
  ...rpcsOf(CompareObjects),
  ...rpcsOf(ListLiveRecords),
  ...Object.values(deadLetterCalls).flatMap(rpcsOf),
];

/** Everything that a service may do on the bus. NATS refuses the rest, and the service itself at its start. */
export interface BusAccess {
  /** Names of the event types that it publishes. */
  readonly publishes: ReadonlySet<string>;
  /** The filters of its durable consumers, by their names. */
  readonly consumers: ReadonlyMap<string, string>;
  /** Names of the event types that it follows without a consumer. */
  readonly follows: ReadonlySet<string>;
  /** Names of the calls that it serves. */
  readonly serves: ReadonlySet<string>;
  /** The calls that it makes, by name. */
  readonly calls: ReadonlyMap<string, Rpc>;
}

/** Returns what a service has declared. */
export function busAccessOf(service: ServiceName): BusAccess {
  const declared = DECLARATIONS[service];
  const purges = MIRRORING_SERVICES.includes(service) ? [purgeConsumerOf(service)] : [];
  return {
    publishes: new Set(allEvents.filter(it => it.publishedBy.includes(service)).map(({ type }) => type.name)),
    consumers: new Map([...Object.entries(declared.consumers ?? {}), ...purges]),
    follows: new Set(declared.follows?.map(({ name }) => name)),
    serves: new Set(allRpcs.filter(({ owner }) => owner === service).map(({ name }) => name)),
    calls: new Map(declared.calls?.map(rpc => [rpc.name, rpc])),
  };
}

/** The services that make a call. */
export const callersOf = (rpc: Rpc): readonly ServiceName[] =>
  SERVICES.filter(service => busAccessOf(service).calls.has(rpc.name));

/** The name and filter of the consumer with which a service takes part in purges. */
export const purgeConsumerOf = (service: ServiceName): readonly [name: string, filter: string] => [
  `${service}-purges`,
  'processor-account.*.v1',
];

/** The calls among the exports of a module, or the values of an object. */
function rpcsOf(module: Readonly<Record<string, unknown>>): Rpc[] {
  const isRpc = (it: unknown): it is Rpc => typeof it === 'object' && it !== null && 'owner' in it && 'request' in it;
  // The exports of a module come in no certain order.
  return Object.values(module)
    .filter(isRpc)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
