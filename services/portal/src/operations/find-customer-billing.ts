import type { SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { DescribeCustomerBilling, type BilledSubscription } from '@billing/contracts/rpc/as-customer';
import type { RpcClient } from '@billing/messaging/rpc';
import type { z } from 'zod';
import type { Visitor } from './admit-visitor.ts';

/** How many invoices one page shows. */
export const INVOICES_PER_PAGE = 12;
/** Several statements one after the other, on a machine that may be busy: a page that comes late is better than none. */
const TIMEOUT_MS = 10_000;

export type CustomerBilling = z.output<typeof DescribeCustomerBilling.reply>;

/**
 * Returns the subscriptions that have not ended, and one page of invoices (from 1), of the visitor.
 * @throws Problem 503 when the subscriptions service does not reply
 */
export function findCustomerBilling({ rpc }: { readonly rpc: RpcClient }) {
  return ({ scope, customerId }: Visitor, invoicePage = 1): Promise<CustomerBilling> => {
    const invoiceOffset = (invoicePage - 1) * INVOICES_PER_PAGE;
    const page = { invoiceLimit: INVOICES_PER_PAGE, invoiceOffset };
    return rpc.call(DescribeCustomerBilling, { ...scope, customerId, ...page }, TIMEOUT_MS);
  };
}

/**
 * Returns a subscription of the visitor.
 * @throws Problem 404 `subscription_not_found`, also for another customer's and for one that has ended; 503 when the
 * subscriptions service does not reply
 */
export function findSubscription({ rpc }: { readonly rpc: RpcClient }) {
  const findBilling = findCustomerBilling({ rpc });
  return async (visitor: Visitor, id: SubscriptionId): Promise<BilledSubscription> => {
    const found = (await findBilling(visitor)).subscriptions.find(it => it.id === id);
    if (!found) throw notFound('subscription');
    return found;
  };
}
