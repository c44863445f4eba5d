import { fillAccount } from '@billing/local-processor/past';
import { waitFor } from '@billing/testing/wait-for';
import { expect, inject, it } from 'vitest';
import { computeAnalytics } from '../../faults/model/analytics.ts';
import type { StripeEvent } from '../../faults/model/stripe-event.ts';
import { foldSubscriptions, type ModelSubscription } from '../../faults/model/subscriptions.ts';
import { listFromProcessor, newTenant } from '../../system/tenant.ts';
import { runSync } from './account.ts';

const CUSTOMERS = 100;
const DAY_MS = 86_400_000;
const WINDOW_DAYS = 90;

it('takes over a past of every kind, so that all metrics equal a recomputation from the lists', async () => {
  const tenant = await newTenant();
  const { billing, secretKey, callProcessor } = tenant;
  await fillAccount(inject('processorUrl'), secretKey, CUSTOMERS);
  const { sync, findings } = await runSync(tenant, { mode: 'apply' });
  const open = findings.filter(one => one.outcome !== 'conflict' && one.outcome !== 'skipped' && !one.applied);
  expect(open).toEqual([]);
  expect(sync.counts.customer?.applied).toBeGreaterThan(CUSTOMERS / 2);

  const shown = await Array.fromAsync(billing.subscriptions.list({ activeOnly: false }));
  const listed = await listFromProcessor<StripeEvent['data']['object']>(tenant, '/v1/subscriptions', { status: 'all' });
  const recorded = new Set(shown.map(one => one.processorSubscriptionId));
  const taken = listed.filter(({ id }) => recorded.has(id));
  // A subscription's price lacks its amounts in other currencies than its own; the model reads them from the metadata.
  for (const { currency, items } of taken)
    for (const { price } of items.data as StripeEvent['data']['object'][]) {
      if (price.currency === currency) continue;
      const { currency_options: options } = await callProcessor(`/v1/prices/${price.id}?expand[]=currency_options`);
      price.metadata[`amount_${currency}`] = options[currency].unit_amount_decimal;
    }
  expect(taken).toHaveLength(shown.length);
  const model = [...foldSubscriptions(taken.map(asEvent)).values()];
  expect(new Set(shown.map(({ status }) => status)).size).toBeGreaterThan(4);

  const expected = computeAnalytics(model);
  const counted = async () => (await billing.analytics.get({ growthDays: WINDOW_DAYS })).subscriptionBreakdown;
  await waitFor(async () => Object.values(await counted()).reduce((sum, count) => sum + count, 0) === shown.length, {
    what: 'every subscription to be counted',
  });
  const analytics = await billing.analytics.get({ growthDays: WINDOW_DAYS });
  const { mrr, mrrTrialing, mrrPaused, mrrExcluded, mrrByCurrency } = analytics;
  const { subscriptionBreakdown: breakdown, ...revenue } = expected;
  expect({ mrr, mrrTrialing, mrrPaused, mrrExcluded, mrrByCurrency }).toEqual(revenue);
  expect(analytics.subscriptionBreakdown).toMatchObject(breakdown);
  expect(analytics.churnRate).toBe(churnOf(model, new Date(analytics.asOf ?? Date.now())));

  const { history, totals } = await billing.analytics.history({ days: WINDOW_DAYS });
  const made = (await Array.fromAsync(billing.customers.list())).map(({ createdAt }) => createdAt.slice(0, 10));
  expect(history.map(({ date, mrr: amount, customerCount }) => ({ date, amount, customerCount }))).toEqual(
    history.map(({ date }) => ({
      date,
      amount: revenueOn(model, date),
      customerCount: made.filter(day => day <= date).length,
    })),
  );
  expect(history.map(({ estimated }) => estimated ?? false)).toEqual(
    history.map((_, index) => index < WINDOW_DAYS - 1),
  );
  expect(Math.min(totals.newMrr, totals.churnedMrr)).toBeGreaterThan(0);
  expect((await runSync(tenant, { mode: 'report' })).findings.filter(isDrift)).toEqual([]);
});

const isDrift = ({ outcome }: { outcome: string }) => ['missing', 'different', 'extra'].includes(outcome);

const asEvent = (object: StripeEvent['data']['object']): StripeEvent => ({
  id: `evt_${object.id}`,
  type: 'customer.subscription.updated',
  created: object.created,
  data: { object },
});

/** The lists tell no more of a past day than who had started and not ended. */
function revenueOn(subscriptions: readonly ModelSubscription[], date: string): number {
  const live = subscriptions.filter(({ status, startedAt, endedAt }) => {
    const isCounted = status === 'active' || status === 'trialing' || status === 'canceled';
    return isCounted && startedAt.slice(0, 10) <= date && (endedAt === null || endedAt.slice(0, 10) > date);
  });
  return computeAnalytics(live.map(subscription => ({ ...subscription, status: 'active' }))).mrr;
}

/** Percent of those active at the start of the window that have ended since, with two decimals. */
function churnOf(subscriptions: readonly ModelSubscription[], now: Date): number {
  const start = now.getTime() - WINDOW_DAYS * DAY_MS;
  const wasActive = subscriptions.filter(({ status, startedAt, endedAt }) => {
    const isCounted = status === 'active' || status === 'trialing' || status === 'canceled';
    return isCounted && Date.parse(startedAt) <= start && (endedAt === null || Date.parse(endedAt) > start);
  });
  const lost = wasActive.filter(({ endedAt }) => endedAt !== null);
  return wasActive.length === 0 ? 0 : Math.round((lost.length / wasActive.length) * 10_000) / 100;
}
