import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routedEvent } from '@billing/testing/processor-events';
import { after, subscriptionObject } from './payloads.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

const CREATED = 'customer.subscription.created';
const UPDATED = 'customer.subscription.updated';

describe('an item of a subscription', () => {
  const plain = {
    priceId: null,
    processorPriceId: 'price_1',
    quantity: 1,
    unitAmount: 2_999,
    currency: 'usd',
    interval: 'month',
    intervalCount: 1,
  };
  const metered = { interval: 'month', interval_count: 1, usage_type: 'metered' };

  it.each([
    ['a whole amount', { unit_amount_decimal: '2999' }, {}],
    ['a whole amount for five units', { transform_quantity: { divide_by: 5, round: 'up' } }, {}],
    [
      'a decimal amount',
      { unit_amount: null, unit_amount_decimal: '0.5' },
      { unitAmount: null, billingScheme: 'per_unit', usageType: 'licensed', unitAmountDecimal: '0.5' },
    ],
    [
      'tiers',
      { unit_amount: null, unit_amount_decimal: null, billing_scheme: 'tiered' },
      { unitAmount: null, billingScheme: 'tiered', usageType: 'licensed', unitAmountDecimal: null },
    ],
    [
      'an amount by usage',
      { unit_amount: 7, recurring: metered },
      { unitAmount: null, billingScheme: 'per_unit', usageType: 'metered', unitAmountDecimal: '7' },
    ],
  ])('with %s is shown as what it is, in lists and alone', async (_name, price, shown) => {
    const { scope, event, subscriptions } = await startProject(service);
    await service.deliver(event(CREATED, after(0), { price }));
    const [listed] = await subscriptions();
    expect(listed?.['items']).toEqual([{ ...plain, ...shown }]);
    const { body } = await service.call('GET', `/subscriptions/${String(listed?.['id'])}`, { of: scope });
    expect(body.subscription).toEqual(listed);
  });
});

describe('a subscription', () => {
  it('shows its times and a pause of payments', async () => {
    const { event, subscriptions } = await startProject(service);
    const seconds = (time: Date) => time.getTime() / 1_000;
    const more = {
      canceled_at: seconds(after(5)),
      pause_collection: { behavior: 'void', resumes_at: seconds(after(60)) },
    };
    await service.deliver(event(CREATED, after(0), { trialEnd: after(30), cancelAt: after(90), more }));
    expect(await subscriptions()).toMatchObject([
      {
        startedAt: after(0).toISOString(),
        trialEnd: after(30).toISOString(),
        cancelAt: after(90).toISOString(),
        canceledAt: after(5).toISOString(),
        endedAt: null,
        paused: { invoices: 'void', resumesAt: after(60).toISOString() },
      },
    ]);
    await service.deliver(event(UPDATED, after(61), { more: { pause_collection: null, canceled_at: null } }));
    expect(await subscriptions()).toMatchObject([{ paused: null, canceledAt: null, cancelAt: null }]);
  });

  it('keeps every item, the first one being that of its price and quantity', async () => {
    const { scope, base, subscriptions } = await startProject(service);
    const object = subscriptionObject({ ...base, quantity: 3 });
    const { data } = object['items'] as { data: { price: object }[] }; // as the payload is made
    const second = { ...data[0], id: 'si_2', quantity: 7, price: { ...data[0]?.price, id: 'price_2' } };
    await service.deliver(routedEvent(scope, CREATED, { ...object, items: { data: [...data, second] } }));
    expect(await subscriptions()).toMatchObject([
      {
        quantity: 3,
        items: [
          { processorPriceId: 'price_1', quantity: 3 },
          { processorPriceId: 'price_2', quantity: 7 },
        ],
      },
    ]);
  });
});

describe('a price with several currencies', () => {
  /** Subscribes a customer in euros at the processor, and returns the events of that. */
  async function subscribeInEuros() {
    const { dashboard, processor } = service.account;
    const product = await dashboard.products.create({ name: 'Pro' });
    const price = await dashboard.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 3_000,
      recurring: { interval: 'month' },
      currency_options: { eur: { unit_amount: 2_750 } },
    });
    const project = await startProject(service);
    const customer = project.customer.processorCustomerId;
    const { id } = await dashboard.subscriptions.create({
      customer,
      currency: 'eur',
      items: [{ price: price.id, quantity: 2 }],
      trial_period_days: 5,
    });
    await dashboard.subscriptions.update(id, { metadata: { plan: 'gold' } });
    const events = async () => {
      const all = await service.account.events(project.scope, CREATED, UPDATED);
      return all.filter(event => objectOf(event)['id'] === id);
    };
    return { ...project, price, id, events, processor };
  }
  const inEuros = [{ status: 'trialing', items: [{ unitAmount: 2_750, currency: 'eur', quantity: 2 }] }];

  it.each(['in order', 'in reverse', 'in one batch'])(
    'has the amount of the subscription’s: events %s',
    async order => {
      const { events, subscriptions, published } = await subscribeInEuros();
      const all = await events();
      expect(all).toHaveLength(2);
      if (order === 'in one batch') await service.deliver(...all);
      else for (const event of order === 'in order' ? all : all.toReversed()) await service.deliver(event);
      expect(await subscriptions()).toMatchObject(inEuros);
      for (const { data } of await published()) expect(data.items).toMatchObject([{ unitAmountDecimal: '2750' }]);
    },
  );

  it('is read once a period, not with every event', async () => {
    const { events, subscriptions, id } = await subscribeInEuros();
    await service.deliver(...(await events()));
    await service.control.advanceClock(2);
    await service.account.dashboard.subscriptions.update(id, { metadata: { plan: 'silver' } });
    const newest = (await events()).slice(-1);
    await service.control.fail({ method: 'GET', path: '/v1/prices', mode: 'dropped', times: 50 });
    await service.deliver(...newest);
    await service.control.clearFaults();
    expect(await subscriptions()).toMatchObject([{ ...inEuros[0], metadata: { plan: 'silver' } }]);
  });

  it('keeps the amount when the subscription is changed here', async () => {
    const { scope, events, subscriptions } = await subscribeInEuros();
    await service.deliver(...(await events()));
    const [listed] = await subscriptions();
    const path = `/subscriptions/${String(listed?.['id'])}`;
    const { body } = await service.call('PATCH', path, { of: scope, body: { cancelAtPeriodEnd: true } });
    expect(body.subscription).toMatchObject({ ...inEuros[0], cancelAtPeriodEnd: true });
  });

  it('has the new amount with the next period', async () => {
    const { events, subscriptions, price, id } = await subscribeInEuros();
    await service.deliver(...(await events()));
    const changed = { eur: { unit_amount: 2_500 } };
    await service.account.dashboard.prices.update(price.id, { currency_options: changed });
    await service.control.renew(id);
    await service.deliver(...(await events()));
    expect(await subscriptions()).toMatchObject([{ items: [{ unitAmount: 2_500, currency: 'eur' }] }]);
  });
});
