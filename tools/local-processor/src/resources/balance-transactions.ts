import type { Stripe } from 'stripe';
import { endpoint, endpointOn } from '../api/endpoint.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { created, expand, integer, metadata, page, parameters, text } from '../api/parameters.ts';
import { changeBalance } from '../billing/balance.ts';
import { existing } from '../objects/finding.ts';
import { currency } from './price-amounts.ts';

const MAX_AMOUNT = 99_999_999_999;
const PATH = '/v1/customers/:id/balance_transactions';

const createParameters = parameters<Stripe.CustomerCreateBalanceTransactionParams>()({
  amount: integer(-MAX_AMOUNT, MAX_AMOUNT),
  currency,
  description: text(350).optional(),
  expand,
  metadata: metadata.optional(),
});
const listParameters = parameters<Stripe.CustomerListBalanceTransactionsParams>()({
  ...page,
  created,
  invoice: text().optional(),
});

/** Credit and debt of a customer: a negative amount is credit, which the next invoices use. */
export const balanceTransactionEndpoints = [
  endpointOn('customer', 'POST', PATH, createParameters, (unit, customer, { amount, currency: code, ...given }) =>
    changeBalance(unit, customer, {
      amount,
      currency: code,
      type: 'adjustment',
      description: given.description ?? null,
      metadata: mergeMetadata({}, given.metadata),
      invoice: null,
    }),
  ),
  endpoint('GET', PATH, listParameters, (unit, given, { id, url }) => {
    const rows = unit.tables.customer_balance_transaction
      .withField('customer', existing(unit, 'customer', id).id)
      .filter(row => given.invoice === undefined || row.invoice === given.invoice)
      .filter(createdWithin(given.created));
    return listPage(rows, given, url, 'customer_balance_transaction');
  }),
];
