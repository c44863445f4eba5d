import type { Stripe } from 'stripe';
import { endpoint, endpointOn, onlyExpand, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { choice, created, page, parameters, text } from '../api/parameters.ts';
import { expireSession } from '../billing/checkout.ts';
import { existing } from '../objects/finding.ts';
import { createParameters, createSession } from './checkout-session-create.ts';

const PATH = '/v1/checkout/sessions';

const listParameters = parameters<Stripe.Checkout.SessionListParams>()({
  ...page,
  created,
  customer: text().optional(),
  payment_intent: text().optional(),
  status: choice('open', 'complete', 'expired').optional(),
  subscription: text().optional(),
});

export const checkoutSessionEndpoints = [
  endpoint('POST', PATH, createParameters, createSession),
  ...reads('checkout.session', PATH, listParameters, { by: ['customer', 'payment_intent', 'status', 'subscription'] }),
  endpointOn('checkout.session', 'POST', `${PATH}/:id/expire`, onlyExpand, (unit, session) => {
    if (session.status !== 'open')
      throw invalidRequest(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
      );
    return expireSession(unit, session.id) ?? session;
  }),
  endpoint(
    'GET',
    `${PATH}/:id/line_items`,
    parameters<Stripe.Checkout.SessionListLineItemsParams>()(page),
    (unit, given, { id, url }) => {
      const session = existing(unit, 'checkout.session', id);
      return listPage(unit.tables.checkout_plan.get(session.id)?.lines ?? [], given, url, 'item');
    },
  ),
];
