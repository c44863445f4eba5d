import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { expect, it } from 'vitest';
import { hasConverted, trialContributions, trialConversion, trialEndIn } from './trials.ts';

const TRIAL_END = new Date('2028-02-29T12:00:00.000Z');
const LATER = new Date('2028-03-20T00:00:00.000Z');
const EARLIER = new Date('2028-02-20T00:00:00.000Z');

/** When a trial ended and whether it converted, of a subscription that had these statuses and may have ended. */
function result(statuses: SubscriptionStatus[], endedAt: Date | null = null) {
  const status = statuses.at(-1) ?? 'active';
  const known = endedAt ? statuses.slice(0, -1) : statuses;
  const periods = known.map(one => ({ status: one, hasTrial: true, from: EARLIER, revenue: [] }));
  const isPresumed = known.length === 0;
  const all = trialContributions({ status, trialEnd: TRIAL_END }, { periods, endedAt, isPresumed });
  return { at: trialEndIn(all), converted: hasConverted(all) };
}

it.each<[string, SubscriptionStatus[], Date | null, object]>([
  ['runs', ['trialing'], null, { at: null, converted: false }],
  ['was never paid for', ['incomplete'], null, { at: null, converted: false }],
  ['converts when active after it', ['trialing', 'active'], null, { at: TRIAL_END, converted: true }],
  ['stays converted', ['trialing', 'active', 'unpaid', 'canceled'], LATER, { at: TRIAL_END, converted: true }],
  ['ends with its subscription', ['trialing', 'canceled'], EARLIER, { at: EARLIER, converted: false }],
  ['ends paused', ['trialing', 'paused'], null, { at: TRIAL_END, converted: false }],
  ['ends paused, then canceled', ['trialing', 'paused', 'canceled'], LATER, { at: TRIAL_END, converted: false }],
  ['is first known when past due', ['past_due'], null, { at: TRIAL_END, converted: true }],
  ['is first known when canceled later', ['canceled'], LATER, { at: TRIAL_END, converted: true }],
  ['is first known when canceled in it', ['canceled'], EARLIER, { at: EARLIER, converted: false }],
])('a trial %s', (_case, statuses, endedAt, expected) => {
  expect(result(statuses, endedAt)).toEqual(expected);
});

it('gives the rate of the trials inside the window, 0 without any', () => {
  const none = { ended: 0n, converted: 0n };
  expect(trialConversion({ ended: 4n, converted: 3n }, { ended: 1n, converted: 1n })).toEqual({
    ended: 3,
    converted: 2,
    rate: 66.67,
  });
  expect(trialConversion(none, none)).toEqual({ ended: 0, converted: 0, rate: 0 });
});
