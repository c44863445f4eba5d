import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import { newId } from '../domain/ids.ts';
import type { Customer, CustomerBalanceTransaction } from '../objects/stored.ts';

interface BalanceChange {
  amount: number;
  currency: string;
  type: CustomerBalanceTransaction['type'];
  description: string | null;
  metadata: Stripe.Metadata;
  invoice: string | null;
}

/**
 * Changes a customer's balance and records the transaction. A negative amount is credit, which the next invoice uses.
 * (Stripe: https://docs.stripe.com/billing/customer/balance)
 * @throws ApiError 400 when the currency is not the customer's
 */
export function changeBalance(unit: UnitOfWork, customer: Customer, change: BalanceChange): CustomerBalanceTransaction {
  if (customer.currency && customer.currency !== change.currency)
    throw invalidRequest(
      `You passed the currency ${change.currency}, but the customer's currency is ${customer.currency}.`,
      'currency',
    );
  const balance = customer.balance + change.amount;
  const transaction: CustomerBalanceTransaction = {
    id: newId('cbtxn_1'),
    object: 'customer_balance_transaction',
    amount: change.amount,
    checkout_session: null,
    created: unit.now,
    credit_note: null,
    currency: change.currency,
    customer: customer.id,
    customer_account: null,
    description: change.description,
    ending_balance: balance,
    invoice: change.invoice,
    livemode: unit.livemode,
    metadata: change.metadata,
    type: change.type,
  };
  unit.create('customer_balance_transaction', transaction);
  unit.update('customer', customer, { balance, currency: change.currency });
  return transaction;
}
