import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import { formatAmount } from '../domain/money.ts';
import { newRefund } from '../objects/refund.ts';
import type { Charge, Refund } from '../objects/stored.ts';

interface Given {
  /** Default: all that is left. */
  amount: number | undefined;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
  metadata: Stripe.Metadata;
}

/**
 * Refunds a charge, in whole or in part, and emits the events. (Stripe: https://docs.stripe.com/refunds)
 * @throws ApiError 400 when the charge failed, is disputed, or has less left than the amount
 */
export function refundCharge(unit: UnitOfWork, charge: Charge, given: Given): Refund {
  if (!charge.paid) throw invalidRequest('This charge did not succeed, so it cannot be refunded.', { param: 'charge' });
  if (charge.refunded)
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (charge.disputed)
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  const left = charge.amount - charge.amount_refunded;
  const amount = given.amount ?? left;
  if (amount > left)
    throw invalidRequest(
      `Refund amount (${formatAmount(amount, charge.currency)}) is greater than unrefunded amount on charge (${formatAmount(left, charge.currency)})`,
      { param: 'amount' },
    );
  const refund = unit.create('refund', newRefund(unit, charge, { ...given, amount }));
  unit.emit('refund.created', refund);
  const refunded = charge.amount_refunded + amount;
  const changes = { amount_refunded: refunded, refunded: refunded === charge.amount };
  unit.update('charge', charge, changes, 'charge.refunded');
  return refund;
}

/** Records the reference that the card's bank gives a refund, and emits the event. */
export function addRefundReference(unit: UnitOfWork, refund: Refund): void {
  const card = { ...refund.destination_details?.card, reference: '7'.repeat(23), reference_status: 'available' };
  const destination_details = { card: { ...card, type: 'refund' as const }, type: 'card' };
  unit.update('refund', refund, { destination_details }, 'refund.updated');
}
