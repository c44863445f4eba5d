import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { CustomerId, InvoiceId, SubscriptionId, type ProjectId } from '@billing/contracts/ids';
import type { DescribeCustomerBilling } from '@billing/contracts/rpc/calls';
import type { PaymentMethodsInUse } from '@billing/processor/port';
import type { z } from 'zod';
import type { SoldPrice } from './offer.ts';

type Billing = z.output<typeof DescribeCustomerBilling.reply>;

const DAY_MS = 86_400_000;
/** What the customer has where the project offers no price. */
const SAMPLE_ITEM: BilledItem = {
  processorPriceId: 'sample',
  processorProductId: 'sample',
  priceId: null,
  unitAmount: 2_900,
  unitAmountDecimal: '2900',
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
    card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2099 },
  },
  ofSubscriptions: new Map(),
};

/** Returns what a preview shows: a customer with a subscription to the first price that is offered, and two paid invoices. */
export function sampleBilling(projectId: ProjectId, offered: SoldPrice | undefined, now: Date): Billing {
  const item = offered ? itemOf(offered) : SAMPLE_ITEM;
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const [start, end] = [daysAgo(10), daysAgo(-20)];
  const common = { projectId, customerId: CustomerId.example };
  const subscription: Billing['subscriptions'][number] = {
    ...common,
    id: SubscriptionId.example,
    processorSubscriptionId: 'sample',
    processorCustomerId: 'sample',
    priceId: item.priceId,
    status: 'active',
    quantity: item.quantity,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    cancellation: null,
    pauseCollection: null,
    discounts: [],
    scheduledChange: null,
    pendingChange: null,
    items: [item],
    currentPeriodStart: start,
    currentPeriodEnd: end,
    trialEnd: null,
    startedAt: daysAgo(40),
    endedAt: null,
    version: 1,
    createdAt: daysAgo(40),
    productName: offered?.product.name ?? 'Pro',
    hasForeignSchedule: false,
  };
  const invoice = (number: number, paidAt: Date): Billing['invoices'][number] => {
    const amount = item.unitAmount ?? 0;
    return {
      ...common,
      id: InvoiceId.example,
      processorInvoiceId: 'sample',
      subscriptionId: SubscriptionId.example,
      number: `A1B2C3-000${number}`,
      status: 'paid',
      amountDue: amount,
      amountPaid: amount,
      amountRemaining: 0,
      currency: item.currency,
      billingReason: 'subscription_cycle',
      hostedInvoiceUrl: null,
      invoicePdfUrl: null,
      periodStart: null,
      periodEnd: null,
      dueDate: null,
      paidAt,
      createdAt: paidAt,
      updatedAt: paidAt,
    };
  };
  const invoices = [invoice(2, start), invoice(1, daysAgo(40))];
  return { subscriptions: [subscription], productNames: {}, invoices, invoiceTotal: invoices.length };
}

const itemOf = ({ price, product }: SoldPrice): BilledItem => ({
  ...SAMPLE_ITEM,
  processorPriceId: price.processorPriceId,
  processorProductId: product.processorProductId,
  priceId: price.id,
  unitAmount: price.unitAmount,
  unitAmountDecimal: price.unitAmountDecimal,
  billingScheme: price.billingScheme,
  currency: price.currency,
  interval: price.interval,
  intervalCount: price.intervalCount,
  metered: price.metered,
});
