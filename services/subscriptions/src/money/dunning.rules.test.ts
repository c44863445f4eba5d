import type { PaymentObstacle } from '@billing/processor/snapshots/payments';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endOf, newestFailureOf, showsFailure, statesWith, totalsOf } from './dunning.rules.ts';
import { observedCharge, observedIntent, observedObstacle } from './payment-observations.rules.ts';
import { mergeObservations, NOTHING_OBSERVED } from './payment.rules.ts';

const day = (date: number) => new Date(Date.UTC(2026, 4, date));

const open = { status: 'open', paidAt: null, givenUpAt: null, finalizedAt: day(1) } as const;
const running = { hasEnded: false, subscriptionEndedAt: null };
const ended = (date: number) => ({ hasEnded: true, subscriptionEndedAt: day(date) });

it('is recovered when it is paid, and lost when it was given up or its subscription has ended', () => {
  expect(endOf(open, running)).toEqual({ status: 'recovering', endedAt: null });
  const paid = { ...open, status: 'paid', paidAt: day(9) } as const;
  for (const subscription of [running, ended(5)])
    expect(endOf({ ...paid, givenUpAt: day(4) }, subscription)).toEqual({ status: 'recovered', endedAt: day(9) });
  for (const status of ['void', 'uncollectible'] as const)
    expect(endOf({ ...open, status, givenUpAt: day(4) }, running)).toEqual({ status: 'lost', endedAt: day(4) });
  expect(endOf(open, ended(5))).toEqual({ status: 'lost', endedAt: day(5) });
});

it('is lost at whichever came first, but not before it failed', () => {
  const givenUp = { ...open, status: 'void', givenUpAt: day(4) } as const;
  expect(endOf(givenUp, ended(3)).endedAt).toEqual(day(3));
  expect(endOf(givenUp, ended(6)).endedAt).toEqual(day(4));
  expect(endOf({ ...open, finalizedAt: day(8) }, ended(6)).endedAt).toEqual(day(8));
});

it('has each state of invoice and subscription in one status', () => {
  const states = (['recovering', 'recovered', 'lost'] as const).flatMap(statesWith);
  expect(new Set(states).size).toBe(10);
  expect(statesWith('recovering')).toContainEqual({ invoiceStatus: 'open', hasEnded: false });
});

it.each([
  [true, { status: 'open', attempts: 1, nextAttemptAt: day(4) }],
  [true, { status: 'paid', attempts: 2, nextAttemptAt: null }],
  [false, { status: 'open', attempts: 1, nextAttemptAt: null }],
  [false, { status: 'open', attempts: 0, nextAttemptAt: day(1) }],
  [false, { status: 'paid', attempts: 1, nextAttemptAt: null }],
] as const)('shows a failure: %s, as %o', (shown, invoice) => {
  expect(showsFailure(invoice)).toBe(shown);
});

it('names the newest failure, that of a charge first', () => {
  const base = { amount: 1, currency: 'usd', customerId: null, invoiceId: null, metadata: {}, paymentMethod: null };
  const charge = (id: string, date: number, status: string) =>
    observedCharge(
      {
        ...base,
        id,
        status,
        createdAt: day(date),
        failureCode: `code_${date}`,
        failureMessage: `on ${date}`,
        isCaptured: status === 'succeeded',
        amountCaptured: null,
        amountRefunded: 0,
        isRefunded: false,
        paymentIntentId: 'pi_1',
      },
      // A sync may read the older one later.
      day(30 - date),
    );
  const failed = { failureCode: 'authentication_required', failureMessage: null, refusedMethod: null };
  const intent = observedIntent(
    { ...base, ...failed, id: 'pi_1', createdAt: day(1), amountReceived: null },
    day(29),
    'failed',
  );
  const nothing = { code: null, message: null };
  expect(newestFailureOf([])).toEqual(nothing);
  expect(newestFailureOf([NOTHING_OBSERVED, charge('ch_3', 3, 'succeeded')])).toEqual(nothing);
  expect(newestFailureOf([intent])).toEqual({ code: 'authentication_required', message: null });
  const newest = { code: 'code_5', message: 'on 5' };
  const charges = [charge('ch_1', 5, 'failed'), charge('ch_2', 2, 'failed'), charge('ch_3', 9, 'succeeded')];
  expect(newestFailureOf([...charges, intent])).toEqual(newest);
  expect(newestFailureOf([charges.reduce(mergeObservations, intent)])).toEqual(newest);
});

it('names what kept the newest attempt from being made, in whatever order that is observed', () => {
  const observed = (code: PaymentObstacle, date: number) => ({
    ...NOTHING_OBSERVED,
    ...observedObstacle(code, day(date)),
  });
  const [early, same, late] = [
    observed('payment_method_missing', 2),
    observed('authentication_required', 2),
    observed('authentication_required', 6),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray([early, same, late, NOTHING_OBSERVED, late], { minLength: 5 }), all => {
      const merged = all.reduce(mergeObservations);
      expect(merged).toEqual(late);
      expect(mergeObservations(merged, early)).toEqual(merged);
    }),
  );
  expect(newestFailureOf([late])).toMatchObject({ code: 'authentication_required' });
  expect(mergeObservations(early, same)).toEqual(mergeObservations(same, early));
  expect(mergeObservations(NOTHING_OBSERVED, NOTHING_OBSERVED)).toEqual(NOTHING_OBSERVED);
});

it('sums up by currency and status, as far as JSON goes', () => {
  const sum = (currency: string, invoiceStatus: 'open' | 'paid' | 'void', amount: bigint, hasEnded = false) => {
    return { currency, invoiceStatus, hasEnded, amount };
  };
  const sums = [
    sum('usd', 'open', 5n),
    sum('usd', 'open', 2n, true),
    sum('usd', 'void', 3n),
    sum('eur', 'paid', 2n ** 60n),
  ];
  expect(totalsOf(sums)).toEqual({
    usd: { recovering: 5, recovered: 0, lost: 5 },
    eur: { recovering: 0, recovered: Number.MAX_SAFE_INTEGER, lost: 0 },
  });
});
