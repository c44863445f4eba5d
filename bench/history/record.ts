import { LocalProcessorControl } from '@billing/local-processor/control';
import type { Tenant } from '../tenant.ts';
import type { HistoryTenant, Recording } from './history.ts';
import { idsIn, toTemplate } from './template.ts';

const URLS = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
const DAY_SECONDS = 86_400;
const RENEWALS = 2;
/** Moves the recorded times far enough into the past that no event of a run lies in the future. */
const SHIFT_SECONDS = (RENEWALS + 1) * 31 * DAY_SECONDS;

/** An event as the processor's API returns it, as far as it is used. */
interface RecordedEvent {
  readonly type: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** Creates the price of a tenant. */
export async function newPrice({ teamId, projectId, billing }: Tenant, unitAmount: number): Promise<HistoryTenant> {
  const product = await billing.products.create({ name: 'Bench', description: 'For everybody' });
  const monthly = { unitAmount, currency: 'usd', interval: 'month' } as const;
  const price = await billing.prices.create({ productId: product.id, ...monthly });
  const { id: priceId, processorPriceId } = price;
  return { teamId, projectId, priceId, processorPriceId, processorProductId: product.processorProductId };
}

/**
 * Has one customer pay for a subscription at the local processor, and be billed for two renewals. Returns the events
 * and objects of it, to be repeated for other customers.
 * @throws Error when the processor did not emit an expected event
 */
export async function recordHistory(tenant: Tenant, price: HistoryTenant, processorUrl: string): Promise<Recording> {
  const { billing, secretKey } = tenant;
  const customer = await billing.customers.create({ email: 'recorded-customer@example.com', name: 'Bench' });
  const { url } = await billing.checkout.create({ customerId: customer.id, priceId: price.priceId, ...URLS });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  const control = new LocalProcessorControl(processorUrl, secretKey);
  for (let renewal = 0; renewal < RENEWALS; renewal += 1) await control.advanceClock(31 * DAY_SECONDS);

  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${processorUrl}${path}`, { headers: { authorization: `Bearer ${secretKey}` } });
    if (!response.ok) throw new Error(`GET ${path} returned ${response.status}.`);
    return response.text();
  };
  const { data } = JSON.parse(await get('/v1/events?limit=100')) as { data: RecordedEvent[] }; // as Stripe returns it
  const ofType = takeEvents(data.toReversed());
  const [customerCreated] = ofType('customer.created', 1);
  const [charge] = ofType('charge.succeeded', 1);
  const [paymentIntent] = ofType('payment_intent.succeeded', 1);
  const [subscription] = ofType('customer.subscription.created', 1);
  const [invoice, ...renewals] = ofType('invoice.paid', 1 + RENEWALS);
  const [session] = ofType('checkout.session.completed', 1);
  const purchase = [customerCreated, charge, paymentIntent, subscription, invoice, session];

  const sessionPath = `/v1/checkout/sessions/${idOf(session)}?expand[]=line_items`;
  const { line_items: lineItems } = JSON.parse(await get(sessionPath)) as { line_items: object }; // as Stripe returns it
  const texts = {
    purchase: purchase.map(toPast),
    renewals: renewals.map(toPast),
    subscription: toPast(subscription?.data.object),
    lineItems: toPast(lineItems),
  };
  const slots = slotsFor(Object.values(texts).flat(), {
    ...price,
    customerId: customer.id,
    processorCustomerId: customer.processorCustomerId,
    email: customer.email ?? '',
  });
  const slotOf = (event: RecordedEvent | undefined) => slots.get(idOf(event)) ?? '';
  return {
    purchase: texts.purchase.map(text => toTemplate(text, slots)),
    renewals: texts.renewals.map(text => toTemplate(text, slots)),
    subscription: toTemplate(texts.subscription, slots),
    lineItems: toTemplate(texts.lineItems, slots),
    slots: {
      subscription: slotOf(subscription),
      invoices: [invoice, ...renewals].map(slotOf),
      paymentIntent: slotOf(paymentIntent),
      charge: slotOf(charge),
      checkoutSession: slotOf(session),
    },
  };
}

/** Returns a function that returns the first `count` events of a type, and throws when there are fewer. */
function takeEvents(oldestFirst: readonly RecordedEvent[]) {
  return (type: string, count: number): RecordedEvent[] => {
    const events = oldestFirst.filter(event => event.type === type).slice(0, count);
    if (events.length < count) throw new Error(`The processor emitted ${events.length} of ${count} ${type}.`);
    return events;
  };
}

/** Names a slot for each known value and for each other id: its prefix and its place. */
function slotsFor(texts: readonly string[], known: Readonly<Record<string, string>>): Map<string, string> {
  const slots = new Map(Object.entries(known).map(([name, value]) => [value, name]));
  for (const id of idsIn(texts.join('\n')))
    if (!slots.has(id)) slots.set(id, `${id.slice(0, id.lastIndexOf('_') + 1)}h${slots.size}`);
  return slots;
}

/** Returns JSON in which every time in Unix seconds is earlier. */
const toPast = (value: unknown): string =>
  JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'number' && field > 1_500_000_000 && field < 3_000_000_000 ? field - SHIFT_SECONDS : field,
  );

const idOf = (event: RecordedEvent | undefined): string => event?.data.object.id ?? '';
