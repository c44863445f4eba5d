import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionCreated, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import { SubscriptionChangeId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { customer, discount, item, subscription, versionsOf } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

const at = (time: string) => new Date(time);

it('returns revenue, its movements and customers by UTC day, across a leap day', async () => {
  service.setNow(at('2028-03-01T00:00:00.000Z'));
  const scope = await service.createProject();
  const started = { ...subscription(scope), startedAt: at('2028-02-27T23:59:59.999Z') };
  // 100 a year is 8 1/3 a month: three of them are exactly 25.
  const yearly = { ...item, unitAmount: 100, interval: 'year' as const };
  const small = [1, 2, 3].map(() => ({
    ...subscription(scope),
    startedAt: at('2028-02-28T00:00:00Z'),
    items: [yearly],
  }));
  const inEuros = {
    ...subscription(scope),
    startedAt: at('2028-02-28T00:00:00Z'),
    items: [{ ...item, currency: 'eur' }],
  };
  const doubled = { ...started, items: [{ ...item, quantity: 2 }] };
  const ended = { ...doubled, status: 'canceled' as const, endedAt: at('2028-02-29T23:59:59.999Z') };
  // The first event comes last, and all of them days later than they happened.
  const versions = versionsOf([
    { state: doubled, at: at('2028-02-28T12:00:00Z') },
    { state: ended, at: at('2028-03-01T00:00:00Z') },
    { state: started, at: at('2028-02-28T00:00:00Z') },
  ]);
  await service.emit(
    ...versions
      .map(state => newEvent(SubscriptionUpdated, scope.teamId, state, at('2028-03-04T00:00:00Z')))
      .toReversed(),
    ...[...small, inEuros].map(state => newEvent(SubscriptionCreated, scope.teamId, state, at('2028-03-01T00:00:00Z'))),
    newEvent(CustomerCreated, scope.teamId, { ...customer(scope), createdAt: at('2028-02-29T00:00:00Z') }),
  );
  const none = { newMrr: 0, expansionMrr: 0, reactivatedMrr: 0, contractionMrr: 0, churnedMrr: 0, netMrr: 0 };
  const { history, currency } = await service.history(scope, 5);
  expect(currency).toBe('usd');
  expect(history.map(({ from, ...day }) => ({ ...day, from: from === day.date }))).toEqual([
    { date: '2028-02-26', from: true, mrr: 0, customerCount: 0, ...none },
    { date: '2028-02-27', from: true, mrr: 2_999, customerCount: 0, ...none, newMrr: 2_999, netMrr: 2_999 },
    {
      date: '2028-02-28',
      from: true,
      mrr: 6_023,
      customerCount: 0,
      ...none,
      newMrr: 25,
      expansionMrr: 2_999,
      netMrr: 3_024,
    },
    { date: '2028-02-29', from: true, mrr: 25, customerCount: 1, ...none, churnedMrr: 5_998, netMrr: -5_998 },
    { date: '2028-03-01', from: true, mrr: 25, customerCount: 1, ...none },
  ]);
  expect((await service.analytics(scope)).mrr).toBe(25);
});

it('moves revenue by a change of plan on the day it applies, and by nothing that waits or is taken off', async () => {
  service.setNow(at('2028-03-05T00:00:00.000Z'));
  const scope = await service.createProject();
  const started = { ...subscription(scope), startedAt: at('2028-03-01T08:00:00Z') };
  const items = [{ processorPriceId: 'price_2', priceId: null, quantity: 1 }];
  const expiresAt = at('2028-03-02T20:00:00Z');
  const payment = { amountDue: 2_999, reason: 'declined' as const, hostedInvoiceUrl: null };
  const pendingChange = { id: SubscriptionChangeId.create(), items, ...payment, expiresAt };
  const scheduledChange = { id: SubscriptionChangeId.create(), items, effectiveAt: at('2028-03-04T00:00:00Z') };
  const discounts = [{ ...discount, percentOff: 50 }];
  const dearer = [{ ...item, unitAmount: 5_000 }];
  const states = [
    { state: started, at: started.startedAt },
    { state: { ...started, pendingChange, discounts }, at: at('2028-03-02T00:00:00Z') },
    { state: { ...started, items: dearer, scheduledChange, discounts }, at: at('2028-03-03T23:59:59Z') },
    { state: { ...started, discounts }, at: at('2028-03-04T00:00:00Z') },
  ];
  await service.emit(
    ...versionsOf(states)
      .map(state => newEvent(SubscriptionUpdated, scope.teamId, state))
      .toReversed(),
  );
  const { history } = await service.history(scope, 5);
  expect(history.map(({ date, mrr, netMrr }) => [date, mrr, netMrr])).toEqual([
    ['2028-03-01', 2_999, 2_999],
    ['2028-03-02', 2_999, 0],
    ['2028-03-03', 5_000, 2_001],
    ['2028-03-04', 2_999, -2_001],
    ['2028-03-05', 2_999, 0],
  ]);
  expect(await service.analytics(scope)).toMatchObject({ mrr: 2_999, mrrDiscounted: 1_500 });

  const past = await service.history(scope, 3, 1, '2028-03-03');
  expect(past.history).toEqual(history.slice(0, 3));
  expect(past.totals).toMatchObject({ newMrr: 2_999, expansionMrr: 2_001, contractionMrr: 0, netMrr: 5_000 });
  expect((await service.history(scope, 5, 1, '2028-03-09')).history).toEqual(history);
});

it('covers 30 days by default', async () => {
  service.setNow(at('2028-03-01T00:00:00.000Z'));
  const { history } = await service.history(await service.createProject());
  expect(history).toHaveLength(30);
  expect(history[0]?.date).toBe('2028-02-01');
  expect(history.at(-1)?.date).toBe('2028-03-01');
});
