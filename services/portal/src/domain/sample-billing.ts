import { UNTAXED } from '@billing/contracts/resources/subscription';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { CustomerId, InvoiceId, SubscriptionId, type ProjectId } from '@billing/contracts/ids';
import type { DescribeCustomerBilling } from '@billing/contracts/rpc/as-customer';
import type { PaymentMethodsInUse } from '@billing/processor/port';
import type { z } from 'zod';
import type { SoldPrice } from './offer.ts';

type Billing = z.output<typeof DescribeCustomerBilling.reply>;
type Subscription = Billing['subscriptions'][number];
type Invoice = Billing['invoices'][number];

const DAY_MS = 86_400_000;
/** What the customer has where the project offers no price. */
export const SAMPLE_ITEM: BilledItem = {
  processorPriceId: 'price_1',
  processorProductId: 'prod_1',
  priceId: null,
  unitAmount: 2_999,
  unitAmountDecimal: '2999',
  billingScheme: 'per_unit',
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
};

/** The customer whom a preview shows. */
export const SAMPLE_CUSTOMER = { name: 'Ada Lovelace', email: 'ada@example.com' };

/** What that customer pays with. */
export const SAMPLE_METHODS: PaymentMethodsInUse = {
  customerDefault: {
    id: 'sample',
    type: 'card',
    brand: 'visa',
    last4: '4242',
    bankName: null,
    country: null,
    account: null,
    expiry: { expMonth: 12, expYear: 2099 },
  },
  ofSubscriptions: new Map(),
  byInvoice: new Set(),
};

/** Returns what a preview shows: a customer with a subscription to the first price that is offered, and two paid invoices. */
export function sampleBilling(projectId: ProjectId, offered: SoldPrice | undefined, now: Date): Billing {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const subscription = sampleSubscription(projectId, {
    startedAt: daysAgo(40),
    currentPeriodStart: daysAgo(10),
    currentPeriodEnd: daysAgo(-20),
    ...(offered && soldAs(offered)),
  });
  const amount = subscription.items[0]?.unitAmount ?? 0;
  const amounts = { amountDue: amount, amountPaid: amount, currency: subscription.items[0]?.currency ?? 'usd' };
  const invoices = [10, 40].map((days, index) =>
    sampleInvoice(projectId, { ...amounts, number: `A1B2C3-000${2 - index}`, createdAt: daysAgo(days) }),
  );
  return { subscriptions: [subscription], productNames: {}, invoices, invoiceTotal: invoices.length };
}

/** Returns an active subscription of the sample customer, of 29.99 usd a month unless changed. */
export const sampleSubscription = (projectId: ProjectId, changes: Partial<Subscription>): Subscription => ({
  projectId,
  customerId: CustomerId.example,
  id: SubscriptionId.example,
  processorSubscriptionId: 'sub_1',
  processorCustomerId: 'cus_1',
  priceId: null,
  status: 'active',
  quantity: 1,
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
  cancellation: null,
  involuntary: false,
  testClockId: null,
  clockNow: null,
  pauseCollection: null,
  tax: UNTAXED,
  discounts: [],
  scheduledChange: null,
  pendingChange: null,
  metadata: {},
  items: [{ ...SAMPLE_ITEM }],
  currentPeriodStart: new Date(0),
  currentPeriodEnd: new Date(0),
  trialEnd: null,
  startedAt: new Date(0),
  endedAt: null,
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  productName: 'Pro',
  hasForeignSchedule: false,
  isMigrating: false,
  saveOffer: null,
  openInvoiceUrl: null,
  ...changes,
});

/** Returns a paid invoice of the sample customer, of 29.99 usd unless changed. */
export const sampleInvoice = (projectId: ProjectId, changes: Partial<Invoice>): Invoice => ({
  projectId,
  customerId: CustomerId.example,
  id: InvoiceId.example,
  processorInvoiceId: 'in_1',
  subscriptionId: null,
  number: 'INV-0001',
  status: 'paid',
  subtotal: 2_999,
  discount: 0,
  tax: 0,
  total: 2_999,
  taxes: [],
  amountDue: 2_999,
  amountPaid: 2_999,
  amountRemaining: 0,
  currency: 'usd',
  billingReason: 'subscription_create',
  hostedInvoiceUrl: null,
  invoicePdfUrl: null,
  periodStart: null,
  periodEnd: null,
  dueDate: null,
  paidAt: new Date(0),
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...changes,
});

const soldAs = ({ price, product }: SoldPrice): Partial<Subscription> => {
  const { unitAmount, unitAmountDecimal, billingScheme, currency, interval, intervalCount, metered } = price;
  const terms = { unitAmount, unitAmountDecimal, billingScheme, currency, interval, intervalCount, metered };
  const { processorPriceId, id: priceId } = price;
  const { processorProductId, name: productName } = product;
  return { productName, priceId, items: [{ ...SAMPLE_ITEM, ...terms, processorPriceId, processorProductId, priceId }] };
};
