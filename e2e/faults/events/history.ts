import { newCheckout, newCustomer, newMonthlyPrice, payOnHostedPage, type Tenant } from '../../system/tenant.ts';
import { readAllAtProcessor } from '../invariants/processor-list.ts';
import type { SentEvent } from '../system/sent.ts';
import type { ToldEvent } from '../model/told-event.ts';

const MONTHS = 6;

/** A customer whose life at the processor makes history. */
export interface Buyer {
  readonly tenant: Tenant;
  /** Ours. */
  readonly customerId: string;
  /** The processor's. */
  readonly processorCustomerId: string;
}

/** Makes a tenant whose webhooks the processor keeps: the tests post them. */
export async function holdDeliveries(tenant: Tenant): Promise<Tenant> {
  await tenant.processor.setDeliveryRules({ hold: true });
  return tenant;
}

export async function newBuyer(tenant: Tenant): Promise<Buyer> {
  const customerId = await newCustomer(tenant);
  const { processorCustomerId } = await tenant.billing.customers.get(customerId);
  return { tenant, customerId, processorCustomerId };
}

/** Pays for one of a price, and answers the processor's id of the subscription. */
export async function subscribe({ tenant, customerId, processorCustomerId }: Buyer, priceId: string): Promise<string> {
  await payOnHostedPage((await newCheckout(tenant, customerId, priceId)).url);
  const { data } = await tenant.askProcessor(`/v1/subscriptions?customer=${processorCustomerId}`);
  return data[0].id;
}

/** Everything the processor told of so far, in the order of the telling; each event is yet to be posted. */
export async function toldSoFar(tenant: Tenant): Promise<SentEvent[]> {
  const newestFirst = await readAllAtProcessor<ToldEvent>(tenant, '/v1/events');
  return newestFirst.toReversed().map(toSend);
}

export const toSend = (event: ToldEvent): SentEvent => ({
  id: event.id,
  type: event.type,
  body: JSON.stringify(event),
  outcome: undefined,
  answers: [],
});

export const readTold = ({ body }: SentEvent): ToldEvent => JSON.parse(body) as ToldEvent; // `toSend` wrote it

/** The same event as if the processor had told of it in another second. */
export const toldAt = (event: SentEvent, created: number): SentEvent => toSend({ ...readTold(event), created });

/** The events of customers who subscribe and pay month after month; at least so many. */
export async function monthsOfPayments(tenant: Tenant, events: number): Promise<SentEvent[]> {
  const { priceId } = await newMonthlyPrice(tenant);
  for (;;) {
    const subscription = await subscribe(await newBuyer(tenant), priceId);
    for (let month = 0; month < MONTHS; month += 1) await tenant.processor.renew(subscription);
    const told = await toldSoFar(tenant);
    if (told.length >= events) return told;
  }
}

/** For a system whose tests alone decide what arrives: webhooks looks nothing up that no delivery has brought. */
export const WITHOUT_HEALING = { HEALING_INTERVAL_SECONDS: '86400', HEALING_GRACE_SECONDS: '86400' } as const;
