import { CustomerCreated, CustomerUpdated } from '@billing/contracts/events/customers';
import { SubscriptionUpdated, type SubscriptionChange } from '@billing/contracts/events/subscriptions';
import { TestClockId, type ProjectScope } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { customer, item, subscription, versionsOf, type Shown } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const before = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const ON_CLOCK = { testClockId: 'clock_1' };

let service: AnalyticsService;
beforeAll(async () => {
  service = await startAnalytics();
  service.setNow(NOW);
});
afterAll(async () => service[Symbol.asyncDispose]());

const emit = (scope: ProjectScope, state: SubscriptionChange) =>
  service.emit(newEvent(SubscriptionUpdated, scope.teamId, state));

const customersByMrr = async (scope: ProjectScope, currency: string): Promise<unknown> =>
  (await service.call('GET', `/analytics/customers-by-mrr?currency=${currency}`, { of: scope })).body.customers;

it('leaves out a subscription that comes onto a clock, with its past, whenever that becomes known', async () => {
  const scope = await service.createProject();
  const base = { ...subscription(scope), startedAt: before(100) };
  const costs = (unitAmount: number, hoursAgo: number, changes: Partial<SubscriptionChange> = {}): Shown => ({
    state: { ...base, items: [{ ...item, unitAmount }], ...changes },
    at: before(hoursAgo),
  });
  const shown = [costs(1_000, 100), costs(3_000, 60), costs(2_000, 40), costs(1_500, 20), costs(1_500, 1, ON_CLOCK)];
  const [first, second, third, fourth, clocked] = versionsOf(shown);
  if (!first || !second || !third || !fourth || !clocked) throw new Error('A version is missing.');
  for (const version of [first, third, fourth]) await emit(scope, version);
  expect((await service.history(scope, 30)).totals).toMatchObject({ newMrr: 1_000, netMrr: 1_500 });

  await emit(scope, clocked);
  await emit(scope, second);
  expect((await service.history(scope, 30)).history.filter(({ mrr, newMrr }) => mrr !== 0 || newMrr !== 0)).toEqual([]);
  expect(await service.analytics(scope)).toMatchObject({
    mrr: 0,
    churn: { active: 0, ended: 0 },
    subscriptionBreakdown: { active: 0 },
    mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0, testClock: 1 },
  });
  expect(await customersByMrr(scope, 'usd')).toEqual([]);
});

it('names the clock as the reason, whatever else would leave a subscription out', async () => {
  const scope = await service.createProject();
  const inEuros = { ...subscription(scope), items: [{ ...item, currency: 'eur', metered: true }], ...ON_CLOCK };
  await emit(scope, inEuros);
  const { mrrExcluded, mrrByCurrency, mrrByPrice } = await service.analytics(scope);
  expect(mrrExcluded).toEqual({ tiered: 0, metered: 0, otherCurrency: 0, testClock: 1 });
  expect([mrrByCurrency, mrrByPrice]).toEqual([{ usd: 0 }, []]);
  const { subscriptions, total } = await service.subscriptions(scope, 'excluded');
  expect([total, subscriptions.map(({ reason }) => reason)]).toEqual([1, ['testClock']]);
  expect(await customersByMrr(scope, 'eur')).toEqual([]);
});

it('counts no cancellation and no churn on a clock', async () => {
  const scope = await service.createProject();
  const end = { status: 'canceled' as const, canceledAt: before(1), endedAt: before(1) };
  await emit(scope, { ...subscription(scope), startedAt: before(2_000), ...end, ...ON_CLOCK });
  expect(await service.cancellations(scope)).toEqual([]);
  expect(await service.analytics(scope)).toMatchObject({
    churn: { active: 0, ended: 0 },
    subscriptionBreakdown: { canceled: 0 },
    mrrExcluded: { testClock: 0 },
  });
});

it('leaves out a customer on a clock, also of the days before', async () => {
  const scope = await service.createProject();
  const [one, other] = [customer(scope), customer(scope)].map(state => ({ ...state, createdAt: before(100) }));
  if (!one || !other) throw new Error('A customer is missing.');
  await service.emit(...[one, other].map(state => newEvent(CustomerCreated, scope.teamId, state)));
  const testClock = { id: TestClockId.create(), now: new Date('2030-01-31T12:00:00.000Z') };
  await service.emit(newEvent(CustomerUpdated, scope.teamId, { ...other, testClock, version: 2 }));
  const { history } = await service.history(scope, 7);
  expect(history.map(({ customerCount }) => customerCount)).toEqual([0, 0, 1, 1, 1, 1, 1]);
  expect((await service.analytics(scope)).customerCount).toBe(1);
});
