import type { Subscription } from '@billing/client';
import { expect, it } from 'vitest';
import { endsOnlyNow, faceValue, nextStep } from './next-step.ts';

const [trialEnd, periodEnd, sooner] = ['2026-03-10T00:00:00Z', '2026-04-01T00:00:00Z', '2026-03-20T00:00:00Z'];
const monthly = { unitAmount: 2_999, quantity: 1, currency: 'usd', interval: 'month', intervalCount: 1 };
const of = (fields: object, items: object[] = [monthly]) =>
  // Only the fields that the next step follows from.
  ({ status: 'active', currentPeriodEnd: periodEnd, items, ...fields }) as Subscription;

it.each([
  [{}, { words: 'Renews', at: periodEnd, amount: '$29.99' }],
  [{ paused: { invoices: 'void', resumesAt: null } }, { words: 'Renews', at: periodEnd, amount: null }],
  [{ paused: { invoices: 'void', resumesAt: sooner } }, { words: 'Payments resume', at: sooner, amount: null }],
  [
    { status: 'trialing', trialEnd },
    { words: 'Trial ends', at: trialEnd, amount: '$29.99' },
  ],
  [
    { status: 'trialing', trialEnd, cancelAtPeriodEnd: true },
    { words: 'Ends', at: periodEnd, amount: null },
  ],
  [
    { cancelAtPeriodEnd: true, cancelAt: sooner },
    { words: 'Ends', at: sooner, amount: null },
  ],
  [
    { status: 'canceled', endedAt: sooner, cancelAt: periodEnd },
    { words: 'Ended', at: sooner, amount: null },
  ],
  [{ scheduledChange: { effectiveAt: periodEnd } }, { words: 'Changes', at: periodEnd, amount: null }],
  [{ status: 'paused' }, { words: 'Paused: no payment method', at: null, amount: null }],
  [{ status: 'incomplete' }, { words: 'Waits for payment', at: null, amount: null }],
])('says what comes next: %o', (fields, step) => {
  expect(nextStep(of(fields))).toEqual(step);
});

it.each([
  [{}, false],
  [{ status: 'past_due' }, false],
  [{ cancelAtPeriodEnd: true }, true],
  [{ status: 'paused' }, true],
  [{ status: 'incomplete' }, true],
])('says whether it can end with its period: %o', (fields, isOnlyNow) => {
  expect(endsOnlyNow(of({ cancelAtPeriodEnd: false, ...fields }))).toBe(isOnlyNow);
});

it('adds up items that are charged together, and names no amount that usage or length decide', () => {
  expect(faceValue(of({}, [monthly, { ...monthly, unitAmount: 500, quantity: 3 }]))).toBe('$44.99');
  expect(faceValue(of({}, [monthly, { ...monthly, interval: 'year' }]))).toBeNull();
  expect(faceValue(of({}, [monthly, { ...monthly, unitAmount: null }]))).toBeNull();
  expect(faceValue(of({}, []))).toBeNull();
});
