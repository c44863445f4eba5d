import type {
  ChargeSnapshot,
  DisputeSnapshot,
  PaymentIntentSnapshot,
  PaymentObstacle,
  RefundSnapshot,
} from '@billing/processor/snapshots/payments';
import { NOTHING_OBSERVED, type AttemptState, type PaymentObservations } from './payment.rules.ts';

/** What the object of an event shows of a payment. `at` is the processor's time of the event. */

/** The type of the event tells how the attempt ended: a payment intent that succeeded may still show an earlier error. */
export function observedIntent(
  intent: PaymentIntentSnapshot,
  at: Date,
  state: Exclude<AttemptState, 'released'>,
): PaymentObservations {
  const amount = (state === 'succeeded' && intent.amountReceived) || intent.amount;
  const paymentMethod = (state === 'failed' && intent.refusedMethod) || intent.paymentMethod;
  const amounts = { amount, amountReleased: 0, amountRefunded: 0 };
  const attempt = { ...attemptOf(intent, at, state), paymentMethod, ...amounts };
  return { ...sharedObservations(intent), intent: attempt };
}

/** Nothing was attempted for most of the payment intents that are canceled. */
export const observedCancellation = (intent: PaymentIntentSnapshot): PaymentObservations => ({
  ...sharedObservations(intent),
  isCanceled: true,
});

/** A pending charge says nothing about the payment. The event may tell an end that the object does not show. */
export function observedCharge(charge: ChargeSnapshot, at: Date, end?: 'failed' | 'released'): PaymentObservations {
  if (charge.status === 'pending' && !end) return sharedObservations(charge);
  const state = end ?? stateOf(charge);
  const captured = state === 'succeeded' ? (charge.amountCaptured ?? charge.amount) : charge.amount;
  const { id, amountRefunded } = charge;
  const amountReleased = charge.amount - captured;
  const attempt = { ...attemptOf(charge, at, state), amount: captured, amountReleased, amountRefunded };
  const partialCaptures = amountReleased > 0 ? [{ id, leastRefunded: amountRefunded }] : [];
  return { ...sharedObservations(charge), charges: [attempt], partialCaptures };
}

function stateOf({ status, isCaptured, isRefunded }: ChargeSnapshot): AttemptState {
  if (status === 'failed') return 'failed';
  if (isCaptured) return 'succeeded';
  return isRefunded ? 'released' : 'authorized';
}

/** https://docs.stripe.com/api/refunds/object#refund_object-status */
export function observedRefund(
  { id, amount, status, metadata, createdAt }: RefundSnapshot,
  at: Date,
): PaymentObservations {
  const isUndone = status === 'failed' || status === 'canceled';
  const refund = {
    id,
    operationId: metadata['operationId'] ?? null,
    amount,
    createdAt: createdAt?.getTime() ?? null,
    undoneAt: isUndone ? at.getTime() : null,
  };
  return { ...NOTHING_OBSERVED, refunds: [refund] };
}

/** An inquiry that was closed, and a dispute that was prevented, took no money: they count as won. */
export function observedDispute({ id, status }: DisputeSnapshot, at: Date, isClosed: boolean): PaymentObservations {
  const open = status?.startsWith('warning_') ? 'inquiry' : 'open';
  const outcome = status === 'lost' ? 'lost' : isClosed || WON.has(status) ? 'won' : open;
  return { ...NOTHING_OBSERVED, disputes: [{ id, at: at.getTime(), outcome }] };
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
const WON: ReadonlySet<string | null> = new Set(['won', 'warning_closed', 'prevented']);

/** What kept a payment from being paid at a time; nothing that is observed where nothing did. */
export const observedObstacle = (code: PaymentObstacle | undefined, at: Date): Pick<PaymentObservations, 'obstacle'> =>
  code ? { obstacle: { code, at: at.getTime() } } : {};

export const observedInvoice = (invoiceId: string): PaymentObservations => ({ ...NOTHING_OBSERVED, invoiceId });

function attemptOf(
  { id, currency, createdAt, failureCode, failureMessage, paymentMethod }: PaymentIntentSnapshot | ChargeSnapshot,
  at: Date,
  state: AttemptState,
) {
  const failure = state === 'failed' ? { failureCode, failureMessage } : { failureCode: null, failureMessage: null };
  return { id, at: at.getTime(), createdAt: createdAt.getTime(), state, currency, ...failure, paymentMethod };
}

const sharedObservations = ({
  customerId,
  invoiceId,
  createdAt,
}: PaymentIntentSnapshot | ChargeSnapshot): PaymentObservations => ({
  ...NOTHING_OBSERVED,
  customerId,
  invoiceId,
  createdAt: createdAt.getTime(),
});
