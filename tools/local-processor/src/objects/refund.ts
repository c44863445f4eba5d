import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Charge, Refund } from './stored.ts';

interface NewRefund {
  amount: number;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
  metadata: Stripe.Metadata;
}

/** Returns a refund of a card payment, which succeeds at once. The bank's reference follows later. */
export function newRefund(unit: UnitOfWork, charge: Charge, given: NewRefund): Refund {
  return {
    id: newId('re_3'),
    object: 'refund',
    amount: given.amount,
    balance_transaction: newId('txn_3'),
    charge: charge.id,
    created: unit.now,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: given.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: given.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
