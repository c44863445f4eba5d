import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChargeSnapshot } from '@billing/processor/snapshots/payments';
import {
  observedCharge,
  observedDispute,
  observedIntent,
  observedInvoice,
  observedRefund,
} from './payment-observations.ts';
import {
  mergeObservations,
  NOTHING_OBSERVED,
  termsOf,
  type PaymentObservations,
  type PaymentTerms,
} from './payment.ts';

const AMOUNT = 1_000;
const charge = (id: string, changes: Partial<ChargeSnapshot> = {}): ChargeSnapshot => ({
  id,
  amount: AMOUNT,
  currency: 'usd',
  failureCode: null,
  failureMessage: null,
  customerId: 'cus_1',
  invoiceId: null,
  metadata: {},
  createdAt: new Date(0),
  status: 'succeeded',
  amountRefunded: 0,
  paymentIntentId: 'pi_1',
  ...changes,
});
const declined = { failureCode: 'card_declined', failureMessage: 'No.' };
const intent = (changes: object = {}) => ({ ...charge('pi_1'), ...changes });
const refund = (id: string, amount: number, status: string) => ({
  id,
  amount,
  status,
  chargeId: 'ch_ok',
  paymentIntentId: 'pi_1',
});
const dispute = (id: string, status: string) => refund(id, AMOUNT, status);
const at = (second: number) => new Date(second * 1_000);
const fold = (observations: readonly PaymentObservations[]) => observations.reduce(mergeObservations, NOTHING_OBSERVED);

/** What may happen to a payment after it succeeded; each takes a second or more. */
type Step =
  | { readonly kind: 'refund'; readonly amount: number }
  | { readonly kind: 'undo'; readonly index: number }
  | { readonly kind: 'dispute' }
  | { readonly kind: 'close'; readonly outcome: 'won' | 'lost' };

interface History {
  readonly events: readonly PaymentObservations[];
  readonly expected: Partial<PaymentTerms>;
}

/** Plays steps at the processor: the events that it sends, and the record that must come of them. */
function play(failures: number, succeeds: boolean, steps: readonly Step[]): History {
  let second = 1;
  const events: PaymentObservations[] = [];
  for (let n = 0; n < failures; n += 1) {
    events.push(observedCharge(charge(`ch_${n}`, { status: 'failed', ...declined }), at(second), false));
    events.push(observedIntent(intent(declined), at(second), false));
    second += 1;
  }
  if (!succeeds) {
    if (failures === 0) return { events: [observedIntent(intent(declined), at(1), false)], expected: FAILED };
    return { events, expected: { ...FAILED, processorChargeId: `ch_${failures - 1}` } };
  }
  events.push(observedCharge(charge('ch_ok'), at(second), true), observedIntent(intent(declined), at(second), true));
  const refunds: { amount: number; isUndone: boolean }[] = [];
  const disputes: string[] = [];
  const refunded = () => refunds.reduce((sum, one) => sum + (one.isUndone ? 0 : one.amount), 0);
  for (const step of steps) {
    second += 1;
    if (step.kind === 'refund') {
      const amount = Math.min(step.amount, AMOUNT - refunded());
      if (amount === 0) continue;
      refunds.push({ amount, isUndone: false });
      events.push(observedCharge(charge('ch_ok', { amountRefunded: refunded() }), at(second), true));
      events.push(observedRefund(refund(`re_${refunds.length - 1}`, amount, 'succeeded'), at(second)));
    } else if (step.kind === 'undo') {
      const undone = refunds[step.index];
      if (!undone || undone.isUndone) continue;
      undone.isUndone = true;
      events.push(observedRefund(refund(`re_${step.index}`, undone.amount, 'failed'), at(second)));
    } else if (step.kind === 'dispute') {
      if (disputes.at(-1) === 'open') continue;
      disputes.push('open');
      events.push(observedDispute(dispute(`du_${disputes.length - 1}`, 'needs_response'), at(second), false));
    } else if (disputes.at(-1) === 'open') {
      disputes[disputes.length - 1] = step.outcome;
      events.push(observedDispute(dispute(`du_${disputes.length - 1}`, step.outcome), at(second), true));
    }
  }
  const status = disputes.includes('open')
    ? 'disputed'
    : disputes.includes('lost')
      ? 'dispute_lost'
      : refunded() === 0
        ? 'succeeded'
        : refunded() < AMOUNT
          ? 'partially_refunded'
          : 'refunded';
  const expected = { status, amountRefunded: refunded(), processorChargeId: 'ch_ok', failureCode: null } as const;
  return { events, expected };
}

const FAILED = { status: 'failed', amountRefunded: 0, failureCode: 'card_declined', failureMessage: 'No.' } as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('refund' as const), amount: fc.integer({ min: 1, max: AMOUNT }) }),
  fc.record({ kind: fc.constant('undo' as const), index: fc.nat(3) }),
  fc.constant({ kind: 'dispute' as const }),
  fc.record({ kind: fc.constant('close' as const), outcome: fc.constantFrom('won' as const, 'lost' as const) }),
);
const history = fc
  .tuple(fc.nat(3), fc.boolean(), fc.array(step, { maxLength: 8 }))
  .map(([failures, succeeds, steps]) => play(failures, succeeds, steps));

describe('the events of a payment', () => {
  it('lead to what happened, in every order and repeatedly', () => {
    const deliveries = history.chain(({ events, expected }) =>
      fc.tuple(fc.constant(expected), fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 })),
    );
    fc.assert(
      fc.property(deliveries, ([expected, delivered]) => {
        expect(termsOf(fold(delivered))).toMatchObject({ amount: AMOUNT, currency: 'usd', ...expected });
      }),
      { numRuns: runs(500) },
    );
  });

  it('lead to one record in every order also when their times and contents contradict each other', () => {
    const time = fc.nat(2).map(at);
    const id = fc.constantFrom('a', 'b');
    const observation = fc.oneof(
      fc.tuple(time, fc.boolean()).map(([when, ok]) => observedIntent(intent(declined), when, ok)),
      fc
        .tuple(id, time, fc.boolean(), fc.nat(3), fc.constantFrom('cus_1', 'cus_2', null))
        .map(([one, when, ok, amountRefunded, customerId]) =>
          observedCharge(charge(one, { amountRefunded, customerId }), when, ok),
        ),
      fc
        .tuple(id, time, fc.nat(3), fc.constantFrom('failed', 'pending'))
        .map(([one, when, amount, status]) => observedRefund(refund(one, amount, status), when)),
      fc
        .tuple(id, time, fc.constantFrom('won', 'lost', 'under_review'), fc.boolean())
        .map(([one, when, status, isClosed]) => observedDispute(dispute(one, status), when, isClosed)),
      fc.constantFrom('in_1', 'in_2').map(observedInvoice),
    );
    const orders = fc
      .array(observation, { minLength: 1, maxLength: 10 })
      .chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
    fc.assert(
      fc.property(orders, ([all, shuffled]) => {
        expect(fold(shuffled)).toEqual(fold(all));
      }),
      { numRuns: runs(500) },
    );
  });

  it('are the same observations when the database returns their fields in another order', () => {
    const observations = play(1, true, [{ kind: 'refund', amount: 5 }, { kind: 'dispute' }]).events;
    const stored = JSON.parse(
      JSON.stringify(fold(observations), (_key, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toReversed())
          : value,
      ),
    ) as PaymentObservations; // the same observations, as jsonb returns them
    for (const observation of observations) expect(mergeObservations(stored, observation)).toEqual(fold(observations));
  });
});

it('knows no payment of which it has only a refund, a dispute or an invoice', () => {
  const others = [
    observedRefund(refund('re_1', 5, 'succeeded'), at(1)),
    observedDispute(dispute('du_1', 'lost'), at(2), true),
    observedInvoice('in_1'),
  ];
  expect(termsOf(fold(others))).toBeNull();
  expect(termsOf(fold([...others, observedCharge(charge('ch_1'), at(1), true)]))).toMatchObject({
    status: 'dispute_lost',
    amountRefunded: 5,
  });
});

it.each([
  ['warning_needs_response', false, 'disputed'],
  ['warning_closed', true, 'succeeded'],
  ['prevented', false, 'succeeded'],
  ['won', true, 'succeeded'],
  ['lost', false, 'dispute_lost'],
  ['something_new', true, 'succeeded'],
  ['something_new', false, 'disputed'],
] as const)('shows a dispute that is %s (closed: %s) as %s', (status, isClosed, expected) => {
  const observations = [
    observedCharge(charge('ch_1'), at(1), true),
    observedDispute(dispute('du_1', status), at(2), isClosed),
  ];
  expect(termsOf(fold(observations))?.status).toBe(expected);
});
