import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { SubscriptionId, type PriceId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { objectOf, OWNED_TYPES, type Service } from './service.ts';
import { startProject } from './start-project.ts';

/** A price to subscribe to; a month's unless its interval is given. Amounts are in cents. */
type TestPrice = NonNullable<Parameters<Service['createPrice']>[0]>;

interface OnClock {
  /** When the clock starts. */
  readonly start?: string;
  readonly items?: readonly (TestPrice & { readonly quantity?: number })[];
  /** A card of the processor's that pays, declines or wants to be confirmed. */
  readonly card?: string;
  /** More of the subscription, as the team's people may set it. */
  readonly more?: Partial<NonNullable<Parameters<Service['account']['dashboard']['subscriptions']['create']>[0]>>;
}

/** Within the first period of a subscription that starts on 1 April, and its end. */
export const APRIL_13 = '2026-04-13T09:17:31.000Z';
export const MAY = '2026-05-01T00:00:00.000Z';

const seconds = (time: string | Date) => Math.floor(new Date(time).getTime() / 1_000);

/**
 * Starts a project with a customer on a test clock of the processor, who has a card and one subscription. Events reach the
 * service by `deliver` only; those of the subscription's start have reached it.
 */
export async function subscribeOnClock(
  service: Service,
  {
    start = '2026-04-01T00:00:00Z',
    items = [{ unitAmount: 1_200, quantity: 5 }],
    card = 'pm_card_visa',
    more = {},
  }: OnClock = {},
) {
  const { dashboard } = service.account;
  const clock = await dashboard.testHelpers.testClocks.create({ frozen_time: seconds(start) });
  const payer = await dashboard.customers.create({
    email: `${clock.id}@example.com`,
    test_clock: clock.id,
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const project = await startProject(service, { processorCustomerId: payer.id });
  const { scope, customer } = project;
  const { teamId, projectId } = scope;

  /** Creates a price of the project; the service has its copy. */
  const createPrice = async (wanted: TestPrice = {}) => {
    const created = await service.createPrice(wanted, scope);
    await service.deliver(newEvent(ProductCreated, teamId, created.product));
    await service.deliver(newEvent(PriceCreated, teamId, created.price));
    return created.price;
  };
  const prices = await Promise.all(items.map(item => createPrice(item)));
  const { id: processorId } = await dashboard.subscriptions.create({
    customer: payer.id,
    items: prices.map(({ processorPriceId: price }, at) => ({ price, quantity: items[at]?.quantity ?? 1 })),
    metadata: { teamId, projectId, customerId: customer.id },
    ...more,
  });

  const events = async () =>
    (await service.account.events(scope, ...OWNED_TYPES)).filter(event => objectOf(event)['customer'] === payer.id);
  /** Delivers all events of the customer so far. */
  const deliver = async () => {
    for (const event of await events()) await service.deliver(event);
  };
  await deliver();
  const [listed] = await project.subscriptions();
  const id = SubscriptionId.schema.parse(listed?.['id']);
  const path = `/subscriptions/${id}`;
  return {
    ...project,
    id,
    processorId,
    payer,
    clock,
    /** The first price that it has. */
    price: prices[0] as (typeof prices)[number], // there is one for each item
    prices,
    createPrice,
    events,
    deliver,
    /** Moves the clock of the customer. */
    advance: (time: string | Date) =>
      dashboard.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds(time) }),
    atProcessor: () => service.processor.findSubscription(processorId),
    invoicesAtProcessor: async () => (await dashboard.invoices.list({ customer: payer.id, limit: 100 })).data,
    get: async () => (await service.call('GET', path, { of: scope })).body.subscription,
    preview: (body: Wanted = {}) => service.call('POST', `${path}/change/preview`, { of: scope, body }),
    change: (body: Wanted = {}, headers: Record<string, string> = {}) =>
      service.call('POST', `${path}/change`, { of: scope, body, headers }),
    drop: () => service.call('DELETE', `${path}/change`, { of: scope }),
  };
}

/** A body as callers send it. */
type Wanted = Readonly<Record<string, unknown>> & { readonly priceId?: PriceId };
