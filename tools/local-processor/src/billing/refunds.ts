import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import { newId } from '../domain/ids.ts';
import { formatAmount } from '../domain/money.ts';
import { nulls } from '../objects/nulls.ts';
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
  if (!charge.paid) throw invalidRequest('This charge did not succeed, so it cannot be refunded.', 'charge');
  if (charge.refunded)
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded');
  if (charge.disputed)
    throw invalidRequest(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      undefined,
      'charge_disputed',
    );
  const left = charge.amount - charge.amount_refunded;
  const amount = given.amount ?? left;
  if (amount > left)
    throw invalidRequest(
      `Refund amount (${formatAmount(amount, charge.currency)}) is greater than unrefunded amount on charge (${formatAmount(left, charge.currency)})`,
      'amount',
    );
  const refund = unit.create('refund', newRefund(unit, charge, { ...given, amount }), 'refund.created');
  const refunded = charge.amount_refunded + amount;
  const changes = { amount_refunded: refunded, refunded: refunded === charge.amount };
  unit.update('charge', charge, changes, 'charge.refunded');
  return refund;
}

/** Records the reference that the card's bank gives a refund, and emits the event. */
export function addRefundReference(unit: UnitOfWork, refund: Refund): void {
  const card = { ...refund.destination_details?.card, reference: '7'.repeat(23), reference_status: 'available' };
  const destination_details = { card: { ...card, type: 'refund' as const }, type: 'card' };
  unit.update('refund', refund, { destination_details });
}

/** Returns a refund of a card payment, which succeeds at once. The bank's reference follows later. */
function newRefund(unit: UnitOfWork, charge: Charge, given: Given & { amount: number }): Refund {
  return {
    id: newId('re_3'),
    object: 'refund',
    amount: given.amount,
    balance_transaction: newId('txn_3'),
    charge: charge.id,
    created: unit.now,
    currency: charge.currency,
    customer: charge.customer,
    ...nulls('customer_account receipt_number source_transfer_reversal transfer_reversal'),
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: given.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: given.reason,
    status: 'succeeded',
  };
}
