import type { Stripe } from 'stripe';
import { endpoint } from '../api/endpoint.ts';
import { noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { closeDispute } from '../billing/disputes.ts';
import type { Dispute } from '../objects/stored.ts';

const listParameters = parameters<Stripe.DisputeListParams>()({
  ...page,
  charge: text().optional(),
  created,
  payment_intent: text().optional(),
});

/** Disputes are opened by the control API and by `pm_card_createDispute`; the API accepts them only, which loses them. */
export const disputeEndpoints = [
  endpoint('GET', '/v1/disputes', listParameters, (unit, given, { url }) => {
    const { charge, payment_intent: intent } = given;
    const rows = unit.tables.dispute
      .newestFirst()
      .filter(row => charge === undefined || row.charge === charge)
      .filter(row => intent === undefined || row.payment_intent === intent)
      .filter(createdWithin(given.created));
    return listPage(rows, given, url, 'dispute');
  }),
  endpoint('GET', '/v1/disputes/:id', parameters<Stripe.DisputeRetrieveParams>()({ expand }), (unit, _, { id }) =>
    existingDispute(unit, id),
  ),
  endpoint('POST', '/v1/disputes/:id/close', parameters<Stripe.DisputeCloseParams>()({ expand }), (unit, _, { id }) =>
    closeDispute(unit, existingDispute(unit, id), 'lost'),
  ),
];

/** Returns the dispute. @throws ApiError when it does not exist */
export function existingDispute(unit: UnitOfWork, id: string): Dispute {
  const dispute = unit.tables.dispute.get(id);
  if (!dispute) throw noSuch('dispute', id);
  return dispute;
}
