import { expect, it } from 'vitest';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import { canCancel, canResume, mostUrgentFirst } from './subscription-status.ts';

it.each(SUBSCRIPTION_STATUSES)('never offers both cancel and resume: %s', status => {
  for (const cancelAtPeriodEnd of [true, false]) {
    const subscription = { status, cancelAtPeriodEnd };
    expect(canCancel(subscription) && canResume(subscription)).toBe(false);
  }
});

it.each(['canceled', 'incomplete_expired'] as const)('offers neither cancel nor resume once %s', status => {
  for (const cancelAtPeriodEnd of [true, false]) {
    const subscription = { status, cancelAtPeriodEnd };
    expect(canCancel(subscription) || canResume(subscription)).toBe(false);
  }
});

it('offers cancel for an overdue subscription, and resume for a trial that is set to end', () => {
  expect(canCancel({ status: 'past_due', cancelAtPeriodEnd: false })).toBe(true);
  expect(canResume({ status: 'trialing', cancelAtPeriodEnd: true })).toBe(true);
});

it('offers no cancel while the first payment is missing', () => {
  expect(canCancel({ status: 'incomplete', cancelAtPeriodEnd: false })).toBe(false);
});

it('puts subscriptions that need a payment first and keeps the order otherwise', () => {
  const subscriptions = (['active', 'past_due', 'trialing', 'unpaid'] as const).map(status => ({ status }));
  expect(mostUrgentFirst(subscriptions).map(({ status }) => status)).toEqual([
    'past_due',
    'unpaid',
    'active',
    'trialing',
  ]);
});
