import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint, endpointOn, onlyExpand, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { choice, created, expand, integer, metadata, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { closeDispute } from '../billing/disputes.ts';
import { addRefundReference, refundCharge } from '../billing/refunds.ts';
import { existing } from '../objects/finding.ts';
import type { Charge, Refund } from '../objects/stored.ts';

const ofCustomer = { ...page, created, customer: text().optional() };
const ofCharge = { ...page, charge: text().optional(), created, payment_intent: text().optional() };
const intents = parameters<Stripe.PaymentIntentListParams>()(ofCustomer);
const setups = parameters<Stripe.SetupIntentListParams>()(ofCustomer);
const charges = parameters<Stripe.ChargeListParams>()({ ...ofCustomer, payment_intent: text().optional() });
const refunds = parameters<Stripe.RefundListParams>()(ofCharge);
const disputes = parameters<Stripe.DisputeListParams>()(ofCharge);
const refundParameters = parameters<Stripe.RefundCreateParams>()({
  amount: integer(1).optional(),
  charge: text().optional(),
  expand,
  metadata: metadata.optional(),
  payment_intent: text().optional(),
  reason: choice('duplicate', 'fraudulent', 'requested_by_customer').optional(),
});

/**
 * Payment intents, charges and setup intents are read-only: only checkouts and invoices create them. Disputes are opened by
 * the control API and by `pm_card_createDispute`; the API accepts them only, which loses them.
 */
export const paymentEndpoints = [
  ...reads('payment_intent', '/v1/payment_intents', intents, { by: ['customer'] }),
  ...reads('charge', '/v1/charges', charges, { by: ['customer', 'payment_intent'] }),
  ...reads('setup_intent', '/v1/setup_intents', setups, { by: ['customer'] }),
  endpoint('POST', '/v1/refunds', refundParameters, createRefund),
  ...reads('refund', '/v1/refunds', refunds, { by: ['charge', 'payment_intent'] }),
  ...reads('dispute', '/v1/disputes', disputes, { by: ['charge', 'payment_intent'] }),
  endpointOn('dispute', 'POST', '/v1/disputes/:id/close', onlyExpand, (unit, dispute) =>
    closeDispute(unit, dispute, 'lost'),
  ),
];

function createRefund(unit: UnitOfWork, given: z.output<typeof refundParameters>): Refund {
  const refund = refundCharge(unit, chargeOf(unit, given), {
    amount: given.amount,
    reason: given.reason ?? null,
    metadata: mergeMetadata({}, given.metadata),
  });
  addRefundReference(unit, refund);
  return refund;
}

function chargeOf(unit: UnitOfWork, given: z.output<typeof refundParameters>): Charge {
  const { charge: chargeId, payment_intent: intentId } = given;
  if ((chargeId === undefined) === (intentId === undefined))
    throw invalidRequest('One of the following params should be provided for this request: payment_intent or charge.');
  if (chargeId !== undefined) return existing(unit, 'charge', chargeId, 'charge');
  const intent = existing(unit, 'payment_intent', String(intentId), 'payment_intent');
  const charge = unit.tables.charge.get(String(intent.latest_charge));
  if (!charge?.paid)
    throw invalidRequest('This PaymentIntent does not have a successful charge to refund.', 'payment_intent');
  return charge;
}
