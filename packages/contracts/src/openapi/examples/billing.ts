import type { z } from 'zod';
import type { customer } from '../../resources/customer.ts';
import type { invoice } from '../../resources/invoice.ts';
import type { payment } from '../../resources/payment.ts';
import type { subscription } from '../../resources/subscription.ts';
import { examplePrice } from './catalog.ts';
import { createdAt, exampleIds, periodEnd, updatedAt } from './shared.ts';

export const exampleCustomer = {
  id: exampleIds.customer,
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  externalId: 'user-815',
  processorCustomerId: 'cus_U2bR1mXq7PzT4s',
  metadata: { accountId: '4711' },
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} as const satisfies z.input<typeof customer>;

export const exampleSubscription = {
  id: exampleIds.subscription,
  customerId: exampleIds.customer,
  processorSubscriptionId: 'sub_1RqZ9c2eZvKYlo2CrX0hJ6kL',
  status: 'active',
  priceId: exampleIds.price,
  quantity: 1,
  items: [
    {
      priceId: exampleIds.price,
      processorPriceId: examplePrice.processorPriceId,
      quantity: 1,
      unitAmount: 2999,
      currency: 'usd',
      interval: 'month',
      intervalCount: 1,
    },
  ],
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
  startedAt: createdAt,
  trialEnd: null,
  endedAt: null,
  pauseCollection: null,
  currentPeriodStart: createdAt,
  currentPeriodEnd: periodEnd,
  metadata: {},
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} satisfies z.input<typeof subscription>;

export const exampleInvoice = {
  id: exampleIds.invoice,
  processorInvoiceId: 'in_1RqZ9c2eZvKYlo2CfQ7wM3nB',
  customerId: exampleIds.customer,
  subscriptionId: exampleIds.subscription,
  number: 'ACME-0001',
  status: 'paid',
  amountDue: 2999,
  amountPaid: 2999,
  amountRemaining: 0,
  currency: 'usd',
  billingReason: 'subscription_create',
  hostedInvoiceUrl: 'https://invoice.stripe.com/i/acct_1Example/test_inv_1',
  invoicePdfUrl: 'https://pay.stripe.com/invoice/acct_1Example/test_inv_1/pdf',
  periodStart: createdAt,
  periodEnd,
  dueDate: null,
  paidAt: updatedAt,
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} as const satisfies z.input<typeof invoice>;

export const examplePayment = {
  id: exampleIds.payment,
  processorPaymentIntentId: 'pi_3RqZ9c2eZvKYlo2C1pD4rT8v',
  processorChargeId: 'ch_3RqZ9c2eZvKYlo2C1mN6yU0b',
  customerId: exampleIds.customer,
  invoiceId: exampleIds.invoice,
  amount: 2999,
  amountRefunded: 999,
  currency: 'usd',
  status: 'partially_refunded',
  failureCode: null,
  failureMessage: null,
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} as const satisfies z.input<typeof payment>;
