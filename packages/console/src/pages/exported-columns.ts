import { queryClient } from '#api/client.ts';
import { findCustomer } from '#api/customer-names.ts';
import { findInvoice } from '#api/find-invoice.ts';
import { findSubscription } from '#api/find-subscription.ts';
import { productNames } from '#api/product-names.ts';
import type { ProjectScope } from '#api/project.ts';
import { foundQuery, pricesQuery, productsQuery } from '#api/queries.ts';
import { exportedColumn } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { decimalText } from '#ui/money.ts';

const FRESH_MS = 60_000;

/** Loads a record once for all rows of an export that name it. */
export const loadOnce =
  <Item>(scope: ProjectScope, kind: string, find: (scope: ProjectScope, id: string) => Promise<Item | null>) =>
  (id: string | null): Promise<Item | null> =>
    queryClient.fetchQuery(foundQuery(scope, kind, find, id));

/** The columns of an export with the customer that a row belongs to. */
export function customerColumns<Item extends { readonly customerId: string | null }>(
  scope: ProjectScope,
): readonly Column<Item>[] {
  const load = loadOnce(scope, 'customer-name', findCustomer);
  return [
    exportedColumn('Customer id', ({ customerId }) => customerId),
    exportedColumn('Customer', async ({ customerId }) => (await load(customerId))?.name),
    exportedColumn('E-mail', async ({ customerId }) => (await load(customerId))?.email),
  ];
}

/** Returns what finds the names of the products of a subscription, an invoice or a payment. */
export function productFinder(scope: ProjectScope) {
  const loadSubscription = loadOnce(scope, 'subscription-name', findSubscription);
  const loadInvoice = loadOnce(scope, 'invoice-name', findInvoice);
  const ofItems = async (items: Parameters<ReturnType<typeof productNames>['ofItems']>[0]): Promise<string> => {
    const [prices, products] = await Promise.all([
      queryClient.fetchQuery({ ...pricesQuery(scope), staleTime: FRESH_MS }),
      queryClient.fetchQuery({ ...productsQuery(scope), staleTime: FRESH_MS }),
    ]);
    return productNames(prices, products).ofItems(items);
  };
  const ofSubscription = async (id: string | null): Promise<string> => {
    const subscription = await loadSubscription(id);
    return subscription ? ofItems(subscription.items) : '';
  };
  return {
    ofItems,
    ofSubscription,
    ofInvoice: async (id: string | null) => ofSubscription((await loadInvoice(id))?.subscriptionId ?? null),
    invoiceNumber: async (id: string | null) => (await loadInvoice(id))?.number,
  };
}

/** A column of an export with an amount as a decimal number, whose currency stands in a column of its own. */
export const amountColumn = <Item extends { readonly currency: string }>(
  title: string,
  amountOf: (item: Item) => number,
): Column<Item> => exportedColumn(title, item => ({ decimals: [decimalText(amountOf(item), item.currency)] }));

export const currencyColumn = <Item extends { readonly currency: string }>(): Column<Item> =>
  exportedColumn('Currency', ({ currency }) => currency.toUpperCase());
