import type { Stripe } from 'stripe';
import { endpoint } from '../api/endpoint.ts';
import { noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { created, expand, page, parameters, text } from '../api/parameters.ts';

/** Payment intents, charges and setup intents are read-only: only checkouts and invoices create them. */
export const paymentEndpoints = [
  endpoint(
    'GET',
    '/v1/payment_intents',
    parameters<Stripe.PaymentIntentListParams>()({ ...page, created, customer: text().optional() }),
    (unit, given, { url }) => {
      const { payment_intent: table } = unit.tables;
      const rows = given.customer === undefined ? table.newestFirst() : table.withField('customer', given.customer);
      return listPage(rows.filter(createdWithin(given.created)), given, url, 'payment_intent');
    },
  ),
  endpoint(
    'GET',
    '/v1/payment_intents/:id',
    parameters<Stripe.PaymentIntentRetrieveParams>()({ expand }),
    (unit, _, { id }) => {
      const intent = unit.tables.payment_intent.get(id);
      if (!intent) throw noSuch('payment_intent', id);
      return intent;
    },
  ),
  endpoint(
    'GET',
    '/v1/charges',
    parameters<Stripe.ChargeListParams>()({
      ...page,
      created,
      customer: text().optional(),
      payment_intent: text().optional(),
    }),
    (unit, given, { url }) => {
      const { charge: table } = unit.tables;
      const { customer, payment_intent: intent } = given;
      const candidates = intent === undefined ? table.newestFirst() : table.withField('payment_intent', intent);
      const rows = candidates.filter(row => customer === undefined || row.customer === customer);
      return listPage(rows.filter(createdWithin(given.created)), given, url, 'charge');
    },
  ),
  endpoint('GET', '/v1/charges/:id', parameters<Stripe.ChargeRetrieveParams>()({ expand }), (unit, _, { id }) => {
    const charge = unit.tables.charge.get(id);
    if (!charge) throw noSuch('charge', id);
    return charge;
  }),
  endpoint(
    'GET',
    '/v1/setup_intents/:id',
    parameters<Stripe.SetupIntentRetrieveParams>()({ expand }),
    (unit, _, { id }) => {
      const intent = unit.tables.setup_intent.get(id);
      if (!intent) throw noSuch('setupintent', id);
      return intent;
    },
  ),
];
