import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { CustomerId, InvoiceId, PriceId, ProductId, SubscriptionId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { createdQuery, pageQuery, pagination } from '../pagination.ts';
import { invoice } from '../resources/invoice.ts';
import { checkoutCreate, checkoutSession } from '../resources/checkout.ts';
import { invoicePreview } from '../resources/invoice-create.ts';
import { payment, PAYMENT_STATUSES, paymentRefund, paymentTotals } from '../resources/payment.ts';
import {
  subscription,
  SUBSCRIPTION_STATUSES,
  subscriptionTaxUpdate,
  subscriptionPatch,
} from '../resources/subscription.ts';
import { cancellationPreview, endedInvoice, subscriptionCancel } from '../resources/subscription-cancel.ts';
import { resumePreview, subscriptionPauseCreate, subscriptionResume } from '../resources/subscription-pause.ts';
import { PROMOTION_CODE_PROBLEMS } from './plan-changes.ts';
import { booleanText, idsText, integerText, text } from '../text.ts';
import { searchOf } from './search-of.ts';

const read = projectAccess('subscriptions:read');
const write = projectAccess('subscriptions:write');
const path = `${PROJECT_PATH}/subscriptions/:subscriptionId` as const;
const paymentPath = `${PROJECT_PATH}/payments/:paymentId` as const;
const processorId = text(255).optional();

/** What can be wrong with what is sold. */
const SALE_PROBLEMS = [
  'customer_not_found',
  'price_not_found',
  'price_inactive',
  'product_inactive',
  'price_type_mismatch',
  'trial_already_used',
  'interval_mismatch',
  'currency_mismatch',
  'customer_currency_mismatch',
  'already_subscribed',
  'tax_location_invalid',
  ...PROMOTION_CODE_PROBLEMS,
  'processor_not_connected',
  'processor_error',
] as const;

const RESUME_PROBLEMS = [
  'subscription_not_found',
  'subscription_ended',
  'not_paused',
  'processor_not_connected',
  'processor_error',
] as const;

export const subscriptionsOperations = declareOperations('subscriptions', {
  listSubscriptions: {
    route: `GET ${PROJECT_PATH}/subscriptions`,
    access: read,
    summary: 'List subscriptions; only active and trialing ones unless a filter says otherwise',
    query: z.strictObject({
      activeOnly: booleanText
        .optional()
        .describe(
          'Whether to return only active and trialing subscriptions: true by default, false when `status`, `ids`, `processorId` or `taxStopped` is given.',
        ),
      status: z.enum(SUBSCRIPTION_STATUSES).optional().describe('Only subscriptions with this status.'),
      ids: idsText(SubscriptionId.schema, 100)
        .optional()
        .describe('Only subscriptions with one of these ids, up to 100 of them with commas between them.'),
      customerId: CustomerId.schema.optional().describe('Only subscriptions of this customer.'),
      priceId: PriceId.schema.optional().describe('Only subscriptions whose first item has this price.'),
      productId: ProductId.schema
        .optional()
        .describe('Only subscriptions whose first item has a price of this product.'),
      search: searchOf('subscriptions', 'price of a unit of the first item'),
      taxStopped: z
        .enum(['true'])
        .optional()
        .describe('Only living subscriptions whose tax the payment processor stopped computing.'),
      processorId: processorId.describe('Only the subscription with this id at the payment processor.'),
      ...createdQuery,
      ...pageQuery,
    }),
    response: z.object({ subscriptions: z.array(subscription), pagination }),
    example: { query: { activeOnly: 'true', customerId: CustomerId.example } },
  },
  getSubscription: {
    route: `GET ${path}`,
    access: read,
    summary: 'Get a subscription',
    response: z.object({ subscription }),
    problems: ['subscription_not_found'],
  },
  updateSubscription: {
    route: `PATCH ${path}`,
    access: write,
    summary: 'Cancel at the end of the period, or take that back; or move or end the trial',
    body: subscriptionPatch,
    response: z.object({ subscription }),
    problems: [
      'subscription_not_found',
      'subscription_ended',
      'subscription_has_schedule',
      'subscription_incomplete',
      'subscription_paused',
      'subscription_past_due',
      'not_in_trial',
      'amount_changed',
      'payment_failed',
      'processor_not_connected',
      'processor_error',
    ],
    example: { response: { subscription: { cancelAtPeriodEnd: true } } },
  },
  setSubscriptionTax: {
    route: `PUT ${path}/tax`,
    access: write,
    summary: 'Have the payment processor compute the tax of a subscription, or not; nothing is charged for that now',
    body: subscriptionTaxUpdate,
    response: z.object({ subscription }),
    problems: [
      'subscription_not_found',
      'subscription_ended',
      'tax_location_invalid',
      'processor_not_connected',
      'processor_error',
    ],
    example: { response: { subscription: { tax: { automatic: true, stoppedReason: null } } } },
  },
  pauseSubscription: {
    route: `POST ${path}/pause`,
    access: write,
    summary: 'Pause the payments of a subscription; its status and its periods go on',
    body: subscriptionPauseCreate.nullish(),
    response: z.object({ subscription }),
    problems: [
      'subscription_not_found',
      'subscription_ended',
      'already_paused',
      'processor_not_connected',
      'processor_error',
    ],
    example: {
      body: { invoices: 'void', resumesAt: '2026-05-02T09:30:00.000Z' },
      response: { subscription: { paused: { invoices: 'void', resumesAt: '2026-05-02T09:30:00.000Z' } } },
    },
  },
  resumeSubscription: {
    route: `POST ${path}/resume`,
    access: write,
    summary: 'Resume a paused subscription; one with the status `paused` is charged now',
    body: subscriptionResume.nullish(),
    response: z.object({
      subscription,
      invoice: invoice.nullable().describe('What was charged; null when nothing was.'),
    }),
    problems: [...RESUME_PROBLEMS, 'amount_changed', 'payment_failed'],
    example: { body: { billingCycle: 'keep' } },
  },
  previewResume: {
    route: `POST ${path}/resume/preview`,
    access: read,
    summary: 'Preview what resuming a paused subscription charges; it changes nothing',
    body: subscriptionResume.nullish(),
    response: z.object({ preview: resumePreview }),
    problems: RESUME_PROBLEMS,
    example: { body: { billingCycle: 'keep' } },
  },
  cancelSubscription: {
    route: `DELETE ${path}`,
    access: write,
    summary: 'Cancel now; this cannot be undone. One that has ended is not found',
    body: subscriptionCancel.nullish(),
    response: z.object({
      subscription: z.object({
        id: SubscriptionId.schema,
        status: z.literal('canceled'),
        cancelAtPeriodEnd: z.literal(false),
      }),
      invoices: z.array(endedInvoice).readonly().describe('Those that `openInvoices: void` was for; none otherwise.'),
    }),
    problems: ['subscription_not_found', 'processor_not_connected', 'processor_error'],
    example: { body: { reason: 'unused', prorate: true, invoiceNow: true, openInvoices: 'void' } },
  },
  previewCancellation: {
    route: `POST ${path}/cancel/preview`,
    access: read,
    summary: 'Preview what canceling now credits or charges; it changes nothing',
    body: subscriptionCancel.nullish(),
    response: z.object({ preview: cancellationPreview }),
    problems: ['subscription_not_found', 'processor_not_connected', 'processor_error'],
    example: { body: { prorate: true, invoiceNow: true } },
  },
  createCheckout: {
    route: `POST ${PROJECT_PATH}/checkout`,
    access: write,
    summary: 'Sell to a customer: create a hosted checkout page, or the subscription at once',
    body: checkoutCreate,
    status: 201,
    response: checkoutSession,
    rateLimit: 'session-creation',
    problems: [...SALE_PROBLEMS, 'amount_changed', 'payment_required', 'payment_method_missing', 'payment_failed'],
  },
  previewCheckout: {
    route: `POST ${PROJECT_PATH}/checkout/preview`,
    access: read,
    summary: 'Preview what a sale without a page charges now, however it is collected; it changes nothing',
    body: checkoutCreate,
    response: z.object({ preview: invoicePreview }),
    problems: SALE_PROBLEMS,
    example: { body: { customerId: CustomerId.example, priceId: PriceId.example, collect: 'saved' } },
  },
  listPayments: {
    route: `GET ${PROJECT_PATH}/payments`,
    access: read,
    summary: 'List payments',
    query: z.strictObject({
      customerId: CustomerId.schema.optional().describe('Only payments of this customer.'),
      invoiceId: InvoiceId.schema.optional().describe('Only payments of this invoice.'),
      subscriptionId: SubscriptionId.schema.optional().describe('Only payments of invoices of this subscription.'),
      status: z.enum(PAYMENT_STATUSES).optional().describe('Only payments with this status.'),
      search: searchOf('payments', '`amount`'),
      processorId: processorId.describe(
        'Only the payment with this `processorPaymentIntentId` or `processorChargeId`.',
      ),
      collected: booleanText
        .optional()
        .describe('Whether to return only payments that took money, which the totals of payments count as collected.'),
      ...createdQuery,
      ...pageQuery,
    }),
    response: z.object({ payments: z.array(payment), pagination }),
    example: { query: { customerId: CustomerId.example, status: 'partially_refunded' } },
  },
  getPaymentTotals: {
    route: `GET ${PROJECT_PATH}/payments/totals`,
    access: read,
    summary: 'Get what was collected, and what is past due, in each currency',
    query: z.strictObject({
      growthDays: integerText(1, 365)
        .default(30)
        .describe('Length of the window for what was collected, in days until now, unless `createdAfter` begins it.'),
      createdAfter: createdQuery.createdAfter,
      createdBefore: createdQuery.createdBefore,
    }),
    response: paymentTotals,
    example: { query: { growthDays: '30' } },
  },
  getPayment: {
    route: `GET ${paymentPath}`,
    access: read,
    summary: 'Get a payment',
    response: z.object({ payment }),
    problems: ['payment_not_found'],
  },
  refundPayment: {
    route: `POST ${paymentPath}/refund`,
    access: write,
    summary: 'Refund a payment, in whole or in part; this cannot be undone',
    body: paymentRefund.nullish(),
    status: 201,
    response: z.object({ payment }),
    problems: [
      'payment_not_found',
      'payment_not_refundable',
      'refund_too_large',
      'processor_not_connected',
      'processor_error',
    ],
    example: { body: { amount: 999, reason: 'requested_by_customer' } },
  },
});
