import type { Stripe } from 'stripe';
import { endpoint } from '../api/endpoint.ts';
import { noSuch } from '../api/errors.ts';
import type { Charge, SetupIntent } from '../objects/stored.ts';
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
      const source = given.customer === undefined ? table : table.withField('customer', given.customer);
      return listPage(source, given, url, 'payment_intent', createdWithin(given.created));
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
      const isInTime = createdWithin(given.created);
      const isWanted = (row: Charge) => (customer === undefined || row.customer === customer) && isInTime(row);
      const source = intent === undefined ? table : table.withField('payment_intent', intent);
      return listPage(source, given, url, 'charge', isWanted);
    },
  ),
  endpoint('GET', '/v1/charges/:id', parameters<Stripe.ChargeRetrieveParams>()({ expand }), (unit, _, { id }) => {
    const charge = unit.tables.charge.get(id);
    if (!charge) throw noSuch('charge', id);
    return charge;
  }),
  endpoint(
    'GET',
    '/v1/setup_intents',
    parameters<Stripe.SetupIntentListParams>()({ ...page, created, customer: text().optional() }),
    (unit, given, { url }) => {
      const isInTime = createdWithin(given.created);
      const isWanted = (row: SetupIntent) =>
        (given.customer === undefined || row.customer === given.customer) && isInTime(row);
      return listPage(unit.tables.setup_intent, given, url, 'setup_intent', isWanted);
    },
  ),
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
