import {
  listFromProcessor,
  newCheckout,
  newCustomer,
  newMonthlyPrice,
  payOnHostedPage,
  type Tenant,
} from '../../system/tenant.ts';
import type { StripeEvent } from '../model/stripe-event.ts';
import type { SentEvent } from '../system/sent-requests.ts';

const MONTHS = 6;

/** A customer who buys, pays and cancels at the processor. The ids are those of the newest record. */
export interface Buyer {
  readonly tenant: Tenant;
  customerId: string;
  processorCustomerId: string;
}

/** Stops the processor from delivering the tenant's webhooks, so that a test can post them itself. */
export async function holdDeliveries(tenant: Tenant): Promise<Tenant> {
  await tenant.processor.setDeliveryRules({ hold: true });
  return tenant;
}

/** Creates a customer. */
export async function newBuyer(tenant: Tenant): Promise<Buyer> {
  const customerId = await newCustomer(tenant);
  const { processorCustomerId } = await tenant.billing.customers.get(customerId);
  return { tenant, customerId, processorCustomerId };
}

/** Pays for a price and returns the Stripe id of the subscription. */
export async function subscribe({ tenant, customerId, processorCustomerId }: Buyer, priceId: string): Promise<string> {
  await payOnHostedPage((await newCheckout(tenant, customerId, priceId)).url);
  const { data } = await tenant.callProcessor(`/v1/subscriptions?customer=${processorCustomerId}`);
  return data[0].id;
}

/** Returns every event of the tenant's account so far, oldest first, ready to be posted. */
export async function readStripeEvents(tenant: Tenant): Promise<SentEvent[]> {
  const newestFirst = await listFromProcessor<StripeEvent>(tenant, '/v1/events');
  return newestFirst.toReversed().map(toSentEvent);
}

/** Wraps an event that is not posted yet. */
export const toSentEvent = (event: StripeEvent): SentEvent => ({
  id: event.id,
  type: event.type,
  body: JSON.stringify(event),
  outcome: undefined,
  statuses: [],
});

/** Reads the event back from the body. */
export const parseEvent = ({ body }: SentEvent): StripeEvent => JSON.parse(body) as StripeEvent; // `toSentEvent` wrote it

/** Returns the same event with another creation time, in Unix seconds. */
export const withCreated = (event: SentEvent, created: number): SentEvent =>
  toSentEvent({ ...parseEvent(event), created });

/** Returns at least `count` events of customers who subscribe and pay month after month. */
export async function monthsOfPayments(tenant: Tenant, count: number): Promise<SentEvent[]> {
  const { priceId } = await newMonthlyPrice(tenant);
  for (;;) {
    const subscription = await subscribe(await newBuyer(tenant), priceId);
    for (let month = 0; month < MONTHS; month += 1) await tenant.processor.renew(subscription);
    const events = await readStripeEvents(tenant);
    if (events.length >= count) return events;
  }
}

/** Environment of `webhooks` that disables the reconciler: only events that a test posts arrive. */
export const RECONCILER_OFF = { RECONCILE_INTERVAL_SECONDS: '86400', RECONCILE_GRACE_SECONDS: '86400' } as const;
