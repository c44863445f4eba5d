import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PriceCreated } from '@billing/contracts/events/catalog';
import {
  SHOWN_BY,
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { DescribeCustomerBilling } from '@billing/contracts/rpc/as-customer';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { after, BASE_TIME, subscriptionObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

const CREATED = 'customer.subscription.created';
const UPDATED = 'customer.subscription.updated';
const DELETED = 'customer.subscription.deleted';

describe('the first event of a subscription', () => {
  it.each([CREATED, UPDATED, 'customer.subscription.trial_will_end'] as const)(
    'records it and publishes that it was created: %s',
    async type => {
      const { event, subscriptions, published, customer } = await startProject(service);
      await service.deliver(event(type, after(0), { status: 'trialing', trialEnd: after(86_400) }));
      expect(await subscriptions()).toMatchObject([{ status: 'trialing', customerId: customer.id, quantity: 1 }]);
      expect(await published()).toMatchObject([{ type: SubscriptionCreated.name, data: { version: 1 } }]);
    },
  );

  it('publishes that it was created, and has ended, when it is a deletion', async () => {
    const { event, subscriptions, published } = await startProject(service);
    await service.deliver(event(DELETED, after(5), { status: 'canceled', endedAt: after(5) }));
    await service.deliver(event(CREATED, after(0), {}));
    expect(await subscriptions()).toMatchObject([{ status: 'canceled' }]);
    expect((await published()).map(({ type, data }) => [type, data.version, data.status, data.endedAt])).toEqual([
      [SubscriptionCreated.name, 1, 'canceled', after(5)],
      // What it was before is published too.
      [SubscriptionUpdated.name, 1, 'canceled', after(5)],
    ]);
  });

  it('creates one record when several come at the same time', async () => {
    const { event, subscriptions, published } = await startProject(service);
    const types = [CREATED, UPDATED, UPDATED, DELETED] as const;
    const events = types.map((type, index) => event(type, after(index), type === DELETED ? { endedAt: after(3) } : {}));
    await service.deliver(...events);
    expect(await subscriptions()).toMatchObject([{ status: 'canceled' }]);
    const created = (await published()).filter(({ type }) => type === SubscriptionCreated.name);
    expect(created).toMatchObject([{ data: { status: 'canceled', endedAt: after(3) } }]);
  });
});

it('takes quantities beyond 32 bits', async () => {
  const { event, subscriptions, published } = await startProject(service);
  await service.deliver(event(CREATED, after(0), { quantity: 2 ** 31 }));
  await service.deliver(event(UPDATED, after(1), { quantity: Number.MAX_SAFE_INTEGER }));
  expect(await subscriptions()).toMatchObject([{ quantity: Number.MAX_SAFE_INTEGER }]);
  expect((await published()).at(-1)?.data).toMatchObject({ items: [{ quantity: Number.MAX_SAFE_INTEGER }] });
});

it('ends a subscription that a sync found to be gone, though nobody knows its last state', async () => {
  const { scope, event, subscriptions, published, base, completions } = await startProject(service);
  await service.deliver(event(CREATED, after(0)));
  const gone = (id: string) =>
    routedEvent(scope, DELETED, { id, object: 'subscription', deleted: true }, { createdAt: after(9) });
  const events = [gone(base.id), gone('sub_unknown')];
  await service.deliver(...events, event(UPDATED, after(5), { quantity: 3 }), ...events.map(deliveredAgain));
  await service.deliver(event(UPDATED, after(8), { quantity: 4 }));
  expect(await subscriptions()).toMatchObject([{ status: 'canceled', endedAt: after(9).toISOString() }]);
  expect((await published()).filter(({ type }) => type === SubscriptionCanceled.name)).toHaveLength(1);
  expect((await completions()).map(({ outcome }) => outcome)).not.toContain('failed');
});

describe('what is recorded of a subscription', () => {
  it('includes its own copy of the prices, with our ids of them', async () => {
    const { scope, event, subscriptions, published, base } = await startProject(service);
    const { price } = await service.createPrice({}, scope);
    await service.deliver(newEvent(PriceCreated, scope.teamId, price));
    await service.deliver(event(CREATED, after(0), { priceId: price.processorPriceId, quantity: 4 }));
    expect(await subscriptions()).toMatchObject([{ priceId: price.id, quantity: 4 }]);
    const [created] = await published();
    expect(created?.data.items).toEqual([
      {
        processorPriceId: price.processorPriceId,
        processorProductId: 'prod_1',
        priceId: price.id,
        unitAmount: base.unitAmount,
        unitAmountDecimal: String(base.unitAmount),
        billingScheme: 'per_unit',
        currency: 'usd',
        interval: 'month',
        intervalCount: 1,
        quantity: 4,
        transformQuantity: null,
        metered: false,
      },
    ]);
  });

  it('gets the id of its price when the catalog has it', async () => {
    const { scope, event, subscriptions, published } = await startProject(service);
    const { price } = await service.createPrice({}, scope);
    await service.deliver(event(CREATED, after(0), { priceId: price.processorPriceId }));
    expect((await subscriptions())[0]).not.toHaveProperty('priceId');
    await service.deliver(newEvent(PriceCreated, scope.teamId, price));
    await service.deliver(newEvent(PriceCreated, scope.teamId, price));
    expect(await subscriptions()).toMatchObject([{ priceId: price.id }]);
    expect((await published()).map(({ data }) => data.version)).toEqual([1, 2]);
  });

  it.each(['old', 'new'] as const)('is the same for the %s shape of payloads', async shape => {
    const { scope, customer, base, subscriptions } = await startProject(service);
    const cancelAt = after(86_400);
    await service.deliver(routedEvent(scope, CREATED, subscriptionObject({ ...base, cancelAt }, shape)));
    expect(await subscriptions()).toMatchObject([
      {
        cancelAtPeriodEnd: true,
        currentPeriodStart: base.periodStart.toISOString(),
        currentPeriodEnd: base.periodEnd.toISOString(),
        createdAt: BASE_TIME.toISOString(),
      },
    ]);
    const request = { ...scope, customerId: customer.id, invoiceLimit: 1, invoiceOffset: 0 };
    expect(await service.rpc.call(DescribeCustomerBilling, request)).toMatchObject({ subscriptions: [{ cancelAt }] });
  });

  it('includes metadata without the routing keys', async () => {
    const { event, subscriptions, customer } = await startProject(service);
    await service.deliver(event(CREATED, after(0), { metadata: { plan: 'gold', customerId: customer.id } }));
    expect((await subscriptions())[0]?.['metadata']).toEqual({ plan: 'gold' });
  });
});

describe('an event of a recorded subscription', () => {
  it('applies if it is newer, and what it shows is published once, also when it is older', async () => {
    const { event, subscriptions, published } = await startProject(service);
    await service.deliver(event(CREATED, after(0)));
    await service.deliver(event(UPDATED, after(20), { status: 'past_due' }));
    const older = event(UPDATED, after(10), { status: 'unpaid' });
    await service.deliver(older);
    await service.deliver({ ...older, id: randomUUID() });
    await service.deliver(event(UPDATED, after(30), { status: 'past_due' }));
    await service.deliver(event(UPDATED, after(25), { status: 'active' }));
    expect(await subscriptions()).toMatchObject([{ status: 'past_due' }]);
    const all = await published();
    expect(all.map(({ data }) => [data.version, data.status, data.observedAt])).toEqual([
      [1, 'active', after(0)],
      [2, 'past_due', after(20)],
      [2, 'past_due', after(20)],
      [3, 'past_due', after(30)],
      [3, 'past_due', after(30)],
    ]);
    expect(all.map(({ data }) => data.shown.map(({ status, at, by }) => [status, at, by]))).toEqual([
      [['active', after(0), SHOWN_BY.created]],
      [['past_due', after(20), SHOWN_BY.updated]],
      [['unpaid', after(10), SHOWN_BY.updated]],
      [['past_due', after(30), SHOWN_BY.updated]],
      [['active', after(25), SHOWN_BY.updated]],
    ]);
  });

  it.each([
    [DELETED, 'canceled'],
    [UPDATED, 'incomplete_expired'],
  ] as const)('does not bring it back after %s with status %s', async (type, status) => {
    const { event, subscriptions } = await startProject(service);
    await service.deliver(event(type, after(10), { status, endedAt: after(10) }));
    await service.deliver(event(UPDATED, after(99), { status: 'active' }));
    expect(await subscriptions()).toMatchObject([{ status }]);
  });

  it('ends it when it is a deletion, whatever status it has', async () => {
    const { event, subscriptions } = await startProject(service);
    await service.deliver(event(CREATED, after(0)));
    await service.deliver(event(DELETED, after(10), { status: 'active' }));
    expect(await subscriptions()).toMatchObject([{ status: 'canceled' }]);
  });

  it('leaves the recorded status when its own is unknown', async () => {
    const { event, subscriptions } = await startProject(service);
    await service.deliver(event(CREATED, after(0)));
    await service.deliver(event(UPDATED, after(10), { status: 'hibernating', quantity: 7 }));
    expect(await subscriptions()).toMatchObject([{ status: 'active', quantity: 7 }]);
  });
});

describe('the handling of an event', () => {
  it('takes effect once, and is reported for every delivery with an id of its own', async () => {
    const { event, published, completions } = await startProject(service);
    const created = event(CREATED, after(0));
    await service.deliver(created);
    await service.deliver(created);
    await service.deliver(deliveredAgain(created));
    expect(await published()).toHaveLength(1);
    expect(await completions()).toMatchObject([
      { outcome: 'processed', error: null },
      { outcome: 'processed', error: null },
    ]);
  });

  it('fails at once when the object has no known shape', async () => {
    const { scope, completions } = await startProject(service);
    await service.deliver(routedEvent(scope, CREATED, { id: 'sub_broken' }));
    expect(await completions()).toMatchObject([
      { outcome: 'failed', attempts: 1, error: expect.stringContaining('customer') },
    ]);
  });
});
