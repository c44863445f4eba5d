import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { choice, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { expireSession } from '../billing/checkout.ts';
import type { CheckoutSession } from '../objects/stored.ts';
import { createParameters, createSession } from './checkout-session-create.ts';

const listParameters = parameters<Stripe.Checkout.SessionListParams>()({
  ...page,
  created,
  customer: text().optional(),
  payment_intent: text().optional(),
  status: choice('open', 'complete', 'expired').optional(),
  subscription: text().optional(),
});

export const checkoutSessionEndpoints = [
  endpoint('POST', '/v1/checkout/sessions', createParameters, createSession),
  endpoint('GET', '/v1/checkout/sessions', listParameters, listSessions),
  endpoint(
    'GET',
    '/v1/checkout/sessions/:id',
    parameters<Stripe.Checkout.SessionRetrieveParams>()({ expand }),
    (unit, _, { id }) => existingSession(unit, id),
  ),
  endpoint(
    'POST',
    '/v1/checkout/sessions/:id/expire',
    parameters<Stripe.Checkout.SessionExpireParams>()({ expand }),
    (unit, _, { id }) => expire(unit, id),
  ),
  endpoint(
    'GET',
    '/v1/checkout/sessions/:id/line_items',
    parameters<Stripe.Checkout.SessionListLineItemsParams>()(page),
    (unit, given, { id, url }) => {
      const { id: sessionId } = existingSession(unit, id);
      return listPage(unit.tables.checkout_plan.get(sessionId)?.lines ?? [], given, url, 'item');
    },
  ),
];

function listSessions(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const table = unit.tables['checkout.session'];
  const { customer, payment_intent: intent, status, subscription } = given;
  const candidates = customer === undefined ? table.newestFirst() : table.withField('customer', customer);
  const rows = candidates
    .filter(row => intent === undefined || row.payment_intent === intent)
    .filter(row => subscription === undefined || row.subscription === subscription)
    .filter(row => status === undefined || row.status === status)
    .filter(createdWithin(given.created));
  return listPage(rows, given, url, 'checkout session');
}

function expire(unit: UnitOfWork, id: string): CheckoutSession {
  const session = existingSession(unit, id);
  if (session.status !== 'open')
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
    );
  return expireSession(unit, id) ?? session;
}

function existingSession(unit: UnitOfWork, id: string): CheckoutSession {
  const session = unit.tables['checkout.session'].get(id);
  if (!session) throw noSuch('checkout.session', id);
  return session;
}
