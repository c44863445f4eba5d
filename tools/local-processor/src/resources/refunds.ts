import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { choice, created, expand, integer, metadata, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { addRefundReference, refundCharge } from '../billing/refunds.ts';
import type { Charge, Refund } from '../objects/stored.ts';

const createParameters = parameters<Stripe.RefundCreateParams>()({
  amount: integer(1).optional(),
  charge: text().optional(),
  expand,
  metadata: metadata.optional(),
  payment_intent: text().optional(),
  reason: choice('duplicate', 'fraudulent', 'requested_by_customer').optional(),
});
const listParameters = parameters<Stripe.RefundListParams>()({
  ...page,
  charge: text().optional(),
  created,
  payment_intent: text().optional(),
});

export const refundEndpoints = [
  endpoint('POST', '/v1/refunds', createParameters, createRefund),
  endpoint('GET', '/v1/refunds', listParameters, (unit, given, { url }) => {
    const { charge, payment_intent: intent } = given;
    const rows = unit.tables.refund
      .newestFirst()
      .filter(row => charge === undefined || row.charge === charge)
      .filter(row => intent === undefined || row.payment_intent === intent)
      .filter(createdWithin(given.created));
    return listPage(rows, given, url, 'refund');
  }),
  endpoint('GET', '/v1/refunds/:id', parameters<Stripe.RefundRetrieveParams>()({ expand }), (unit, _, { id }) =>
    existingRefund(unit, id),
  ),
  endpoint(
    'POST',
    '/v1/refunds/:id',
    parameters<Stripe.RefundUpdateParams>()({ expand, metadata: metadata.optional() }),
    (unit, given, { id }) => {
      const refund = existingRefund(unit, id);
      const changes = { metadata: mergeMetadata(refund.metadata, given.metadata) };
      return unit.update('refund', refund, changes, 'refund.updated');
    },
  ),
];

function createRefund(unit: UnitOfWork, given: z.output<typeof createParameters>): Refund {
  const refund = refundCharge(unit, chargeOf(unit, given), {
    amount: given.amount,
    reason: given.reason ?? null,
    metadata: mergeMetadata({}, given.metadata),
  });
  addRefundReference(unit, refund);
  return refund;
}

function chargeOf(unit: UnitOfWork, given: z.output<typeof createParameters>): Charge {
  const { charge: chargeId, payment_intent: intentId } = given;
  if ((chargeId === undefined) === (intentId === undefined))
    throw invalidRequest('One of the following params should be provided for this request: payment_intent or charge.');
  if (chargeId !== undefined) {
    const charge = unit.tables.charge.get(chargeId);
    if (!charge) throw noSuch('charge', chargeId, 'charge');
    return charge;
  }
  const intent = unit.tables.payment_intent.get(String(intentId));
  if (!intent) throw noSuch('payment_intent', String(intentId), 'payment_intent');
  const charge = unit.tables.charge.get(String(intent.latest_charge));
  if (!charge?.paid)
    throw invalidRequest('This PaymentIntent does not have a successful charge to refund.', {
      param: 'payment_intent',
    });
  return charge;
}

function existingRefund(unit: UnitOfWork, id: string): Refund {
  const refund = unit.tables.refund.get(id);
  if (!refund) throw noSuch('refund', id);
  return refund;
}
