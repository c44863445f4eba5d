import type {
  ChargeSnapshot,
  DisputeSnapshot,
  PaymentIntentSnapshot,
  RefundSnapshot,
} from '@billing/processor/snapshots/payments';
import { NOTHING_OBSERVED, type PaymentObservations } from './payment.ts';

/** What the object of an event shows of a payment. `at` is the processor's time of the event. */

/** The type of the event tells how the attempt ended: a payment intent that succeeded may still show an earlier error. */
export function observedIntent(intent: PaymentIntentSnapshot, at: Date, hasSucceeded: boolean): PaymentObservations {
  const attempt = { ...attemptOf(intent, at, hasSucceeded), amountRefunded: 0 };
  return { ...sharedObservations(intent), intent: attempt };
}

export function observedCharge(charge: ChargeSnapshot, at: Date, hasSucceeded: boolean): PaymentObservations {
  const attempt = { ...attemptOf(charge, at, hasSucceeded), amountRefunded: charge.amountRefunded };
  return { ...sharedObservations(charge), charges: [attempt] };
}

/** https://docs.stripe.com/api/refunds/object#refund_object-status */
export function observedRefund({ id, amount, status }: RefundSnapshot, at: Date): PaymentObservations {
  const isUndone = status === 'failed' || status === 'canceled';
  return { ...NOTHING_OBSERVED, refunds: [{ id, amount, undoneAt: isUndone ? at.getTime() : null }] };
}

/** An inquiry that was closed, and a dispute that was prevented, took no money: they count as won. */
export function observedDispute({ id, status }: DisputeSnapshot, at: Date, isClosed: boolean): PaymentObservations {
  const outcome = status === 'lost' ? 'lost' : isClosed || WON.has(status) ? 'won' : 'open';
  return { ...NOTHING_OBSERVED, disputes: [{ id, at: at.getTime(), outcome }] };
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
const WON: ReadonlySet<string | null> = new Set(['won', 'warning_closed', 'prevented']);

export const observedInvoice = (invoiceId: string): PaymentObservations => ({ ...NOTHING_OBSERVED, invoiceId });

function attemptOf(it: PaymentIntentSnapshot, at: Date, hasSucceeded: boolean) {
  const { id, amount, currency } = it;
  const { failureCode, failureMessage } = hasSucceeded ? { failureCode: null, failureMessage: null } : it;
  return { id, at: at.getTime(), hasSucceeded, amount, currency, failureCode, failureMessage };
}

const sharedObservations = ({ customerId, invoiceId, createdAt }: PaymentIntentSnapshot): PaymentObservations => ({
  ...NOTHING_OBSERVED,
  customerId,
  invoiceId,
  createdAt: createdAt.getTime(),
});
