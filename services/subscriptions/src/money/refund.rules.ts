import { unprocessable } from '@billing/contracts/problem';
import type { PaymentStatus } from '@billing/contracts/resources/payment';
import type { PaymentTerms } from './payment.rules.ts';

/**
 * Why nothing of a payment can be refunded, where its status shows it. An inquiry took no money, and a refund resolves it.
 * https://docs.stripe.com/disputes/how-disputes-work#inquiries
 */
const NOT_REFUNDABLE: Readonly<Partial<Record<PaymentStatus, string>>> = {
  requires_capture: 'The payment is authorized but not captured; cancel the authorization at the payment processor.',
  canceled: 'The authorization was released, so no money was taken.',
  failed: 'The payment failed, so no money was taken.',
  disputed: 'The payment is disputed; answer the dispute at the payment processor.',
  dispute_lost: 'The dispute was lost, so the bank has returned the payment.',
};

/**
 * Checks that an amount of a payment can be refunded; without one, that something is left of it.
 * @throws Problem 422 `payment_not_refundable`, `refund_too_large`
 */
export function requireRefundable(
  { status, amount, amountRefunded, currency }: Pick<PaymentTerms, 'status' | 'amount' | 'amountRefunded' | 'currency'>,
  wanted = 0,
): void {
  const refundable = amount - amountRefunded;
  const reason = NOT_REFUNDABLE[status] ?? (refundable <= 0 ? 'The payment is refunded already.' : undefined);
  if (reason) throw unprocessable('payment_not_refundable', reason);
  if (wanted <= refundable) return;
  const left = `No more than ${refundable} of the payment can be refunded, in the smallest unit of ${currency}.`;
  throw unprocessable('refund_too_large', left, { refundable });
}
