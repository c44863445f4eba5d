import type { Customer, Invoice, Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { customerTitle, findCustomer } from '#api/customer-names.ts';
import { hasCode, missingRecord } from '#api/failure.ts';
import { findInvoice } from '#api/find-invoice.ts';
import { findSubscription } from '#api/find-subscription.ts';
import { useProject, type ProjectScope } from '#api/project.ts';
import { featuresQuery, productsQuery } from '#api/queries.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { useDebounced } from '#ui/debounced.ts';
import type { IconName } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';
import { NAV } from './nav.ts';
import type { Place } from './project-link.tsx';

/** What the palette opens. */
export interface Command extends Place {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly icon: IconName;
}

const MIN_SEARCH = 2;
const MAX_RESULTS = 6;

interface Found {
  readonly commands: readonly Command[];
  readonly isSearching: boolean;
  /** Why records could not be searched. */
  readonly error: unknown;
}

/** Returns the pages and records that a text names. */
export function useCommands(text: string): Found {
  const scope = useProject();
  const isOwner = useIsOwner();
  const search = useDebounced(text, 150);
  const isWanted = search.length >= MIN_SEARCH;
  const {
    data: found = [],
    error,
    isFetching,
  } = useQuery({
    queryKey: scope.key('palette', search),
    queryFn: ({ signal }) => findRecords(scope, search, signal),
    enabled: isWanted,
  });
  const { data: products = [] } = useQuery({ ...productsQuery(scope), enabled: text !== '' });
  const { data: features = [] } = useQuery({ ...featuresQuery(scope), enabled: text !== '' });

  const contains = (title: string) => title.toLowerCase().includes(text.toLowerCase());
  const pages = NAV.flatMap(({ items }) => items).filter(({ forOwners }) => isOwner || !forOwners);
  const commands: readonly Command[] = [
    ...pages
      .filter(({ title }) => contains(title))
      .map(({ page, title, icon }) => ({ id: page, page, title, icon, note: '' })),
    ...(search === text && isWanted ? found : []),
    ...(text === '' ? [] : products)
      .filter(({ id, name, processorProductId }) => contains(name) || processorProductId === text || id === text)
      .slice(0, MAX_RESULTS)
      .map(({ id, name }) => ({ id, page: `products/${id}`, title: name, note: 'Product', icon: 'products' }) as const),
    ...(text === '' ? [] : features)
      .filter(({ id, key, name }) => contains(name) || key.startsWith(text) || id === text)
      .slice(0, MAX_RESULTS)
      .map(
        ({ key, name }) =>
          ({ id: key, page: `features/${key}`, title: name, note: 'Feature', icon: 'features' }) as const,
      ),
  ];
  // What looks like an id, and can't be one, names nothing.
  const failure = hasCode(error, 'validation_error') ? null : error;
  return { commands, isSearching: isFetching || search !== text, error: failure };
}

type Find = (scope: ProjectScope, text: string, signal: AbortSignal) => Promise<readonly Command[]>;

const findCustomers: Find = async ({ billing }, processorId, signal) =>
  (await billing.customers.list({ processorId }, { signal }).page()).items.map(customerCommand);

const findSubscriptions: Find = async ({ billing }, processorId, signal) =>
  (await billing.subscriptions.list({ processorId }, { signal }).page()).items.map(subscriptionCommand);

const findPayments: Find = async ({ billing }, processorId, signal) =>
  (await billing.payments.list({ processorId }, { signal }).page()).items.map(({ id, amount, currency }) => ({
    id,
    page: 'payments',
    search: { processorId },
    title: processorId,
    note: `Payment of ${formatMoney(amount, currency)}`,
    icon: 'payments',
  }));

/** Finds the one record with an id of ours. */
const ours =
  <Item>(find: (scope: ProjectScope, id: string) => Promise<Item | null>, commandOf: (item: Item) => Command): Find =>
  async (scope, id) => {
    const item = await find(scope, id);
    return item ? [commandOf(item)] : [];
  };

const subscriptionCommand = ({ id, processorSubscriptionId }: Subscription): Command => ({
  id,
  page: `subscriptions/${id}`,
  title: processorSubscriptionId,
  note: 'Subscription',
  icon: 'subscriptions',
});

const customerCommand = (customer: Customer): Command => ({
  id: customer.id,
  page: `customers/${customer.id}`,
  title: customerTitle(customer),
  note: customer.name ? (customer.email ?? '') : '',
  icon: 'customers',
});

const invoiceCommand = ({ id, number, processorInvoiceId, amountDue, currency }: Invoice): Command => ({
  id,
  page: 'invoices',
  search: { id },
  title: number ?? processorInvoiceId,
  note: `Invoice of ${formatMoney(amountDue, currency)}`,
  icon: 'invoices',
});

/** Finds what a request returns; nothing when there is no such record. */
const fetched =
  (get: (scope: ProjectScope, id: string, signal: AbortSignal) => Promise<Omit<Command, 'id'>>): Find =>
  async (scope, id, signal) => {
    try {
      return [{ id, ...(await get(scope, id, signal)) }];
    } catch (error) {
      if (missingRecord(error)) return [];
      throw error;
    }
  };

const findEvent = fetched(async ({ billing }, id, signal) => {
  const { type } = await billing.events.get(id, { signal });
  return { page: `events/to-you/${id}`, title: type, note: 'Event', icon: 'events' };
});

const findEndpoint = fetched(async ({ billing }, id, signal) => {
  const { url } = await billing.webhookEndpoints.get(id, { signal });
  return { page: `webhook-endpoints/${id}`, title: url, note: 'Webhook endpoint', icon: 'send' };
});

const findDelivery = fetched(async ({ billing }, id, signal) => {
  const { delivery } = await billing.webhookDeliveries.get(id, { signal });
  return { page: `webhook-deliveries/${id}`, title: delivery.type, note: 'Delivery', icon: 'send' };
});

const findCoupon = fetched(async ({ billing }, id, signal) => {
  const { name, processorCouponId } = await billing.coupons.get(id, { signal });
  return { page: `coupons/${id}`, title: name ?? processorCouponId, note: 'Coupon', icon: 'coupons' };
});

const findPromotionCode = fetched(async ({ billing }, id, signal) => {
  const { code } = await billing.promotionCodes.get(id, { signal });
  return { page: `promotion-codes/${id}`, title: code, note: 'Promotion code', icon: 'coupons' };
});

/** By the prefixes of ids, at Stripe and here. */
const FIND_BY_ID: ReadonlyMap<string | undefined, Find> = new Map([
  ['cus', findCustomers],
  ['sub', findSubscriptions],
  ['in', (scope, processorId, signal) => findInvoices(scope, { processorId }, signal)],
  ['pi', findPayments],
  ['ch', findPayments],
  ['py', findPayments],
  ['pc', ours(findCustomer, customerCommand)],
  ['ps', ours(findSubscription, subscriptionCommand)],
  ['pinv', ours(findInvoice, invoiceCommand)],
  ['cpn', findCoupon],
  ['prc', findPromotionCode],
  ['ev', findEvent],
  ['whe', findEndpoint],
  ['whd', findDelivery],
]);

/** Finds the record with an id, or else customers and invoices that contain the text. */
const findRecords: Find = async (scope, text, signal) => {
  const findById = FIND_BY_ID.get(/^([a-z]+)_\w+$/.exec(text)?.[1]);
  if (findById) return findById(scope, text, signal);
  const [customers, invoices] = await Promise.all([
    scope.billing.customers.list({ search: text, limit: MAX_RESULTS }, { signal }).page(),
    text.length > MAX_NUMBER ? [] : findInvoices(scope, { number: text }, signal),
  ]);
  return [...customers.items.map(customerCommand), ...invoices];
};

/** As many characters as the API takes of an invoice's number. */
const MAX_NUMBER = 64;

async function findInvoices(
  { billing }: ProjectScope,
  wanted: { readonly processorId: string } | { readonly number: string },
  signal: AbortSignal,
): Promise<readonly Command[]> {
  const { items } = await billing.invoices.list({ ...wanted, limit: MAX_RESULTS }, { signal }).page();
  return items.map(invoiceCommand);
}
