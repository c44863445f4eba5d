import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import { newId } from '../domain/ids.ts';
import { nulls } from '../objects/nulls.ts';
import type { Charge, Dispute } from '../objects/stored.ts';

const WEEK_SECONDS = 7 * 86_400;

/**
 * Opens a dispute on a charge, as the cardholder's bank does, and emits the events. It needs a response within a week.
 * (Stripe: https://docs.stripe.com/disputes/how-disputes-work)
 * @throws ApiError 400 when the charge failed or is disputed
 */
export function openDispute(unit: UnitOfWork, charge: Charge, reason: string, amount = charge.amount): Dispute {
  if (!charge.paid) throw invalidRequest('A charge that did not succeed cannot be disputed.');
  if (charge.disputed) throw invalidRequest('This charge is already disputed.');
  const dispute = unit.create('dispute', {
    id: newId('du_1'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: unit.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: unit.now + WEEK_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: unit.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  });
  unit.update('charge', charge, { disputed: true });
  unit.emit('charge.dispute.created', dispute);
  unit.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Closes a dispute and emits the events. @throws ApiError 400 when it is closed */
export function closeDispute(unit: UnitOfWork, dispute: Dispute, outcome: 'won' | 'lost'): Dispute {
  if (dispute.status === 'won' || dispute.status === 'lost')
    throw invalidRequest(`This dispute is already closed: ${dispute.status}.`);
  const closed = unit.update('dispute', dispute, { status: outcome });
  unit.emit('charge.dispute.closed', closed, { status: dispute.status });
  if (outcome === 'won') unit.emit('charge.dispute.funds_reinstated', closed);
  return closed;
}

const NO_EVIDENCE: Dispute['evidence'] = {
  ...nulls('access_activity_log billing_address cancellation_policy cancellation_policy_disclosure'),
  ...nulls('cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip'),
  ...nulls('customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id'),
  ...nulls('product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation'),
  ...nulls('service_date service_documentation shipping_address shipping_carrier shipping_date'),
  ...nulls('shipping_documentation shipping_tracking_number uncategorized_file uncategorized_text'),
  enhanced_evidence: {},
};
