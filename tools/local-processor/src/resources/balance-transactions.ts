import type { Stripe } from 'stripe';
import { endpoint } from '../api/endpoint.ts';
import { noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { created, expand, integer, metadata, page, parameters, text } from '../api/parameters.ts';
import { changeBalance } from '../billing/balance.ts';
import { liveCustomer } from '../objects/customer.ts';
import { currency } from './price-amounts.ts';

const MAX_AMOUNT = 99_999_999_999;

/** Credit and debt of a customer: a negative amount is credit, which the next invoices use. */
export const balanceTransactionEndpoints = [
  endpoint(
    'POST',
    '/v1/customers/:id/balance_transactions',
    parameters<Stripe.CustomerCreateBalanceTransactionParams>()({
      amount: integer(-MAX_AMOUNT, MAX_AMOUNT),
      currency,
      description: text(350).optional(),
      expand,
      metadata: metadata.optional(),
    }),
    (unit, given, { id }) =>
      changeBalance(unit, liveCustomer(unit, id), {
        amount: given.amount,
        currency: given.currency,
        type: 'adjustment',
        description: given.description ?? null,
        metadata: mergeMetadata({}, given.metadata),
        invoice: null,
      }),
  ),
  endpoint(
    'GET',
    '/v1/customers/:id/balance_transactions',
    parameters<Stripe.CustomerListBalanceTransactionsParams>()({ ...page, created, invoice: text().optional() }),
    (unit, given, { id, url }) => {
      const rows = unit.tables.customer_balance_transaction
        .withField('customer', liveCustomer(unit, id).id)
        .filter(row => given.invoice === undefined || row.invoice === given.invoice)
        .filter(createdWithin(given.created));
      return listPage(rows, given, url, 'customer_balance_transaction');
    },
  ),
  endpoint(
    'GET',
    '/v1/customers/:id/balance_transactions/:child',
    parameters<Stripe.CustomerRetrieveBalanceTransactionParams>()({ expand }),
    (unit, _, { id, child }) => {
      const transaction = unit.tables.customer_balance_transaction.get(child);
      if (transaction?.customer !== id) throw noSuch('customer_balance_transaction', child);
      return transaction;
    },
  ),
];
