import type { Customer, Invoice, Payment, Subscription } from '@billing/client';
import { customerTitle, findCustomer } from '#api/customer-names.ts';
import { missingRecord } from '#api/failure.ts';
import { findInvoice } from '#api/find-invoice.ts';
import { findSubscription } from '#api/find-subscription.ts';
import type { ProjectScope } from '#api/project.ts';
import { formatMoney } from '#ui/money.ts';
import type { Found } from './use-commands.ts';

/** As many records of a kind as the palette shows. */
export const MAX_RESULTS = 6;

type Find = (scope: ProjectScope, text: string, signal: AbortSignal) => Promise<readonly Found[]>;

const findCustomers: Find = async ({ billing }, processorId, signal) =>
  (await billing.customers.list({ processorId }, { signal }).page()).items.map(customerFound);

const findSubscriptions: Find = async ({ billing }, processorId, signal) =>
  (await billing.subscriptions.list({ processorId }, { signal }).page()).items.map(subscriptionFound);

const findInvoices: Find = async ({ billing }, processorId, signal) =>
  (await billing.invoices.list({ processorId }, { signal }).page()).items.map(invoiceFound);

const findPayments: Find = async ({ billing }, processorId, signal) =>
  (await billing.payments.list({ processorId }, { signal }).page()).items.map(paymentFound);

/** Finds the one record with an id of ours. */
const ours =
  <Item>(find: (scope: ProjectScope, id: string) => Promise<Item | null>, foundOf: (item: Item) => Found): Find =>
  async (scope, id) => {
    const item = await find(scope, id);
    return item ? [foundOf(item)] : [];
  };

const subscriptionFound = ({ id, processorSubscriptionId }: Subscription): Found => ({
  id,
  page: `subscriptions/${id}`,
  title: processorSubscriptionId,
  note: 'Subscription',
  icon: 'subscriptions',
});

const paymentFound = ({ id, amount, currency, processorPaymentIntentId, processorChargeId }: Payment): Found => ({
  id,
  page: `payments/${id}`,
  title: processorPaymentIntentId ?? processorChargeId ?? id,
  note: `Payment of ${formatMoney(amount, currency)}`,
  icon: 'payments',
});

const customerFound = (customer: Customer): Found => ({
  id: customer.id,
  page: `customers/${customer.id}`,
  title: customerTitle(customer),
  note: customer.name ? (customer.email ?? '') : '',
  icon: 'customers',
});

const invoiceFound = ({ id, number, processorInvoiceId, amountDue, currency }: Invoice): Found => ({
  id,
  page: `invoices/${id}`,
  title: number ?? processorInvoiceId,
  note: `Invoice of ${formatMoney(amountDue, currency)}`,
  icon: 'invoices',
});

/** Finds what a request returns; nothing when there is no such record. */
const fetched =
  (get: (scope: ProjectScope, id: string, signal: AbortSignal) => Promise<Omit<Found, 'id'>>): Find =>
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

const findTestClock = fetched(async ({ billing }, id, signal) => {
  const { name } = await billing.testClocks.get(id, { signal });
  return { page: `test-clocks/${id}`, title: name, note: 'Test clock', icon: 'clock' };
});

const findPromotionCode = fetched(async ({ billing }, id, signal) => {
  const { code } = await billing.promotionCodes.get(id, { signal });
  return { page: `promotion-codes/${id}`, title: code, note: 'Promotion code', icon: 'coupons' };
});

/** By the prefixes of ids, at Stripe and here. */
const FIND_BY_ID: ReadonlyMap<string | undefined, Find> = new Map([
  ['cus', findCustomers],
  ['sub', findSubscriptions],
  ['in', findInvoices],
  ['pi', findPayments],
  ['ch', findPayments],
  ['py', findPayments],
  ['pc', ours(findCustomer, customerFound)],
  ['ps', ours(findSubscription, subscriptionFound)],
  ['pinv', ours(findInvoice, invoiceFound)],
  ['pay', fetched(async ({ billing }, id, signal) => paymentFound(await billing.payments.get(id, { signal })))],
  ['cpn', findCoupon],
  ['prc', findPromotionCode],
  ['clk', findTestClock],
  ['ev', findEvent],
  ['whe', findEndpoint],
  ['whd', findDelivery],
]);

/** Finds the record with an id, or else customers by the text, and what has it as its number or amount. */
export const findRecords: Find = async (scope, text, signal) => {
  const findById = FIND_BY_ID.get(/^([a-z]+)_\w+$/.exec(text)?.[1]);
  if (findById) return findById(scope, text, signal);
  const { billing } = scope;
  const wanted = { search: text, limit: MAX_RESULTS };
  const isNumber = /\d/.test(text);
  const [customers, invoices, payments] = await Promise.all([
    billing.customers.list(wanted, { signal }).page(),
    isNumber ? billing.invoices.list(wanted, { signal }).page() : { items: [] },
    isNumber ? billing.payments.list(wanted, { signal }).page() : { items: [] },
  ]);
  return [
    ...customers.items.map(customerFound),
    ...invoices.items.map(invoiceFound),
    ...payments.items.map(paymentFound),
  ];
};
