import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionCreated, type SubscriptionChange } from '@billing/contracts/events/subscriptions';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { analyticsOperations } from '@billing/contracts/operations/analytics';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { customer, item, subscription } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

/** Creates a customer with these subscriptions. */
async function create(scope: ProjectScope, ...subscriptions: Partial<SubscriptionChange>[]): Promise<CustomerId> {
  const state = customer(scope);
  const states = subscriptions.map(changes => ({ ...subscription(scope), customerId: state.id, ...changes }));
  await service.emit(newEvent(CustomerCreated, scope.teamId, state));
  await service.emit(...states.map(one => newEvent(SubscriptionCreated, scope.teamId, one)));
  return state.id;
}

async function customersOf(scope: ProjectScope, ...ids: string[]) {
  const { body } = await service.call('GET', `/analytics/customers?ids=${ids.join(',')}`, { of: scope });
  return analyticsOperations.getAnalyticsCustomers.response.parse(body).customers;
}

it('returns the best status of each customer and its exact part of mrrByCurrency, in the requested order', async () => {
  const scope = await service.createProject();
  const third = { ...item, unitAmount: 100, interval: 'year' as const };
  const pauseCollection = { behavior: 'void' as const, resumesAt: null };
  const many = await create(
    scope,
    { status: 'canceled', endedAt: new Date() },
    { status: 'trialing', items: [third], pauseCollection },
    { items: [{ ...item, currency: 'eur' }] },
    { items: [third] },
    { status: 'past_due' },
  );
  const late = await create(scope, { status: 'past_due' }, { status: 'incomplete_expired' });
  const free = await create(scope, { items: [{ ...item, unitAmount: 0 }] });
  const none = await create(scope);
  expect(await customersOf(scope, none, many, late, free, many)).toEqual([
    { customerId: none, status: null, subscriptions: 0, mrr: [] },
    {
      customerId: many,
      status: 'active',
      subscriptions: 5,
      mrr: [
        { currency: 'eur', amount: '2999' },
        { currency: 'usd', amount: '16.666666666666666667' },
      ],
    },
    { customerId: late, status: 'past_due', subscriptions: 2, mrr: [] },
    { customerId: free, status: 'active', subscriptions: 1, mrr: [] },
  ]);
  expect(await service.analytics(scope)).toMatchObject({ mrrByCurrency: { eur: 2_999, usd: 17 } });
});

it('leaves out ids that are no customers of the project, as those of others are', async () => {
  const scope = await service.createProject();
  const sibling = await service.createProject(scope.teamId);
  const [own, other] = [await create(scope, {}), await create(sibling, {})];
  const ids = [other, CustomerId.create(), own];
  expect((await customersOf(scope, ...ids)).map(({ customerId }) => customerId)).toEqual([own]);
});

it('takes up to 100 ids of customers', async () => {
  const scope = await service.createProject();
  const ids = Array.from({ length: 101 }, () => CustomerId.create());
  expect(await customersOf(scope, ...ids.slice(1))).toEqual([]);
  for (const refused of [ids.join(','), '', 'cus_1', `${ids[0]},`]) {
    const { status, body } = await service.call('GET', `/analytics/customers?ids=${refused}`, { of: scope });
    expect([status, body.error.details.fields[0].path], refused).toEqual([400, expect.stringMatching(/^ids/)]);
  }
});
