import fc from 'fast-check';
import type { ChargeSnapshot } from '@billing/processor/snapshots/payments';
import {
  observedCharge,
  observedDispute,
  observedIntent,
  observedRefund,
} from '../src/money/payment-observations.rules.ts';
import {
  mergeObservations,
  NOTHING_OBSERVED,
  type PaymentObservations,
  type PaymentTerms,
} from '../src/money/payment.rules.ts';

/** What each payment is of, in cents. */
export const AMOUNT = 1_000;
/** Returns a charge of the one payment; it has succeeded unless changed. */
export const charge = (id: string, changes: Partial<ChargeSnapshot> = {}): ChargeSnapshot => ({
  id,
  amount: AMOUNT,
  currency: 'usd',
  failureCode: null,
  failureMessage: null,
  paymentMethod: null,
  customerId: 'cus_1',
  invoiceId: null,
  metadata: {},
  createdAt: new Date(0),
  status: 'succeeded',
  isCaptured: true,
  amountCaptured: null,
  amountRefunded: 0,
  isRefunded: false,
  paymentIntentId: 'pi_1',
  ...changes,
});
/** The failure of a declined card. */
export const declined = { failureCode: 'card_declined', failureMessage: 'No.' };
/** Returns the payment intent. */
export const intent = (changes: object = {}) => ({
  ...charge('pi_1'),
  amountReceived: null,
  refusedMethod: null,
  ...changes,
});
/** Returns a refund, in cents, of the charge that succeeded. */
export const refund = (id: string, amount: number, status: string, createdAt: Date | null = null) => ({
  id,
  amount,
  status,
  metadata: {},
  createdAt,
  chargeId: 'ch_ok',
  paymentIntentId: 'pi_1',
});
/** Returns a dispute of the whole payment. */
export const dispute = (id: string, status: string) => refund(id, AMOUNT, status);
/** The time of a second of the history. */
export const at = (second: number) => new Date(second * 1_000);
/** Merges what was observed, in the given order. */
export const fold = (observations: readonly PaymentObservations[]) =>
  observations.reduce(mergeObservations, NOTHING_OBSERVED);

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

/** How the payment came to be captured: at once, or after an authorization, of which a part may be released. */
interface Capture {
  readonly amount: number;
  readonly isHeld: boolean;
  /** Whether the charge counts what was not captured as refunded, and has a refund of it, as Stripe's charges do. */
  readonly countsRelease: boolean;
}

/** Plays steps at the processor: the events that it sends, and the record that must come of them. */
export function play(failures: number, succeeds: boolean, capture: Capture, steps: readonly Step[]): History {
  let second = 1;
  const events: PaymentObservations[] = [];
  for (let n = 0; n < failures; n += 1) {
    events.push(
      observedCharge(
        charge(`ch_${9 - n}`, { status: 'failed', createdAt: at(second), ...declined }),
        at(second),
        'failed',
      ),
    );
    events.push(observedIntent(intent(declined), at(second), 'failed'));
    second += 1;
  }
  if (!succeeds) {
    if (failures === 0) return { events: [observedIntent(intent(declined), at(1), 'failed')], expected: FAILED };
    return { events, expected: { ...FAILED, processorChargeId: `ch_${10 - failures}` } };
  }
  const { amount, isHeld } = capture;
  if (isHeld) {
    events.push(observedCharge(charge('ch_ok', HELD), at(second), undefined));
    events.push(observedIntent(intent(declined), at(second), 'authorized'));
    second += 1;
  }
  const released = capture.countsRelease ? AMOUNT - amount : 0;
  const captured = { amountCaptured: amount, amountRefunded: released };
  events.push(observedCharge(charge('ch_ok', captured), at(second)));
  events.push(observedIntent(intent({ ...declined, amountReceived: amount }), at(second), 'succeeded'));
  if (released > 0) events.push(observedRefund(refund('re_rest', released, 'succeeded', at(second)), at(second)));
  const refunds: { amount: number; at: Date; isUndone: boolean }[] = [];
  const disputes: string[] = [];
  const refunded = () => refunds.reduce((sum, one) => sum + (one.isUndone ? 0 : one.amount), 0);
  for (const step of steps) {
    second += 1;
    if (step.kind === 'refund') {
      const part = Math.min(step.amount, amount - refunded());
      if (part === 0) continue;
      refunds.push({ amount: part, at: at(second), isUndone: false });
      const counted = { ...captured, amountRefunded: released + refunded() };
      events.push(observedCharge(charge('ch_ok', counted), at(second)));
      const id = `re_${refunds.length - 1}`;
      events.push(observedRefund(refund(id, part, 'succeeded', at(second)), at(second)));
    } else if (step.kind === 'undo') {
      const undone = refunds[step.index];
      if (!undone || undone.isUndone) continue;
      undone.isUndone = true;
      events.push(observedRefund(refund(`re_${step.index}`, undone.amount, 'failed', undone.at), at(second)));
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
        : refunded() < amount
          ? 'partially_refunded'
          : 'refunded';
  const terms = { status, amount, amountRefunded: refunded() } as const;
  return { events, expected: { ...terms, processorChargeId: 'ch_ok', failureCode: null } };
}

/** An authorization. */
export const HELD = { isCaptured: false, amountCaptured: 0 };
export const AT_ONCE: Capture = { amount: AMOUNT, isHeld: false, countsRelease: false };
const FAILED = {
  status: 'failed',
  amount: AMOUNT,
  amountRefunded: 0,
  failureCode: 'card_declined',
  failureMessage: 'No.',
} as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('refund' as const), amount: fc.integer({ min: 1, max: AMOUNT }) }),
  fc.record({ kind: fc.constant('undo' as const), index: fc.nat(3) }),
  fc.constant({ kind: 'dispute' as const }),
  fc.record({ kind: fc.constant('close' as const), outcome: fc.constantFrom('won' as const, 'lost' as const) }),
);
const capture: fc.Arbitrary<Capture> = fc
  .record({ amount: fc.integer({ min: 1, max: AMOUNT }), isHeld: fc.boolean(), countsRelease: fc.boolean() })
  .map(one => (one.isHeld ? one : AT_ONCE));
/** Draws what happened to a payment. */
export const history = fc
  .tuple(fc.nat(3), fc.boolean(), capture, fc.array(step, { maxLength: 8 }))
  .map(args => play(...args));
