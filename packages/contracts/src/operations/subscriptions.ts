import { z } from 'zod';
import { CustomerId, PriceId, SubscriptionId } from '../ids.ts';
import { exampleInvoice, examplePayment, exampleSubscription } from '../openapi/examples/billing.ts';
import { exampleIds, examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { checkoutCreate, checkoutSession } from '../resources/checkout.ts';
import { invoice, INVOICE_STATUSES } from '../resources/invoice.ts';
import { payment, PAYMENT_STATUSES } from '../resources/payment.ts';
import { subscription, SUBSCRIPTION_STATUSES, subscriptionUpdate } from '../resources/subscription.ts';
import { booleanText } from '../text.ts';

const service = 'subscriptions';
const read = projectAccess('subscriptions:read');
const write = projectAccess('subscriptions:write');
const params = projectParams.extend({ subscriptionId: SubscriptionId.schema });
const path = `${PROJECT_PATH}/subscriptions/:subscriptionId` as const;

export const subscriptionsOperations = {
  listSubscriptions: operation({
    id: 'listSubscriptions',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/subscriptions`,
    access: read,
    summary: 'List subscriptions; without a status only active and trialing ones, unless activeOnly is false',
    params: projectParams,
    query: z.strictObject({
      /** True unless `status` is given. */
      activeOnly: booleanText.optional(),
      status: z.enum(SUBSCRIPTION_STATUSES).optional(),
      customerId: CustomerId.schema.optional(),
      priceId: PriceId.schema.optional(),
      ...pageQuery,
    }),
    status: 200,
    response: z.object({ subscriptions: z.array(subscription), pagination }),
    problems: [],
    example: {
      query: { activeOnly: 'true', customerId: exampleIds.customer },
      response: { subscriptions: [exampleSubscription], pagination: examplePagination },
    },
  }),
  getSubscription: operation({
    id: 'getSubscription',
    service,
    method: 'GET',
    path,
    access: read,
    summary: 'Get a subscription',
    params,
    status: 200,
    response: z.object({ subscription }),
    problems: ['subscription_not_found'],
    example: { response: { subscription: exampleSubscription } },
  }),
  updateSubscription: operation({
    id: 'updateSubscription',
    service,
    method: 'PATCH',
    path,
    access: write,
    summary: 'Cancel at the end of the period, or resume',
    params,
    body: subscriptionUpdate,
    status: 200,
    response: z.object({ subscription }),
    problems: [
      'subscription_not_found',
      'subscription_ended',
      'subscription_has_schedule',
      'processor_not_connected',
      'processor_error',
    ],
    example: {
      body: { cancelAtPeriodEnd: true },
      response: { subscription: { ...exampleSubscription, cancelAtPeriodEnd: true } },
    },
  }),
  cancelSubscription: operation({
    id: 'cancelSubscription',
    service,
    method: 'DELETE',
    path,
    access: write,
    summary: 'Cancel now; this cannot be undone',
    params,
    status: 200,
    response: z.object({
      subscription: z.object({
        id: SubscriptionId.schema,
        status: z.literal('canceled'),
        cancelAtPeriodEnd: z.literal(false),
      }),
    }),
    problems: ['subscription_not_found', 'subscription_ended', 'processor_not_connected', 'processor_error'],
    example: {
      response: { subscription: { id: exampleIds.subscription, status: 'canceled', cancelAtPeriodEnd: false } },
    },
  }),
  createCheckout: operation({
    id: 'createCheckout',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/checkout`,
    access: write,
    summary: 'Create a hosted checkout session for a customer and a price',
    params: projectParams,
    body: checkoutCreate,
    status: 201,
    response: checkoutSession,
    rateLimit: 'session-creation',
    problems: [
      'customer_not_found',
      'price_not_found',
      'price_inactive',
      'product_inactive',
      'price_type_mismatch',
      'trial_already_used',
      'already_subscribed',
      'processor_not_connected',
      'processor_error',
    ],
    example: {
      body: {
        customerId: exampleIds.customer,
        priceId: exampleIds.price,
        successUrl: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
        cancelUrl: 'https://shop.example/pricing',
        trialDays: 14,
      },
      response: {
        sessionId: 'cs_test_a1B2c3D4e5F6g7H8',
        url: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3D4e5F6g7H8',
      },
    },
  }),
  listInvoices: operation({
    id: 'listInvoices',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/invoices`,
    access: read,
    summary: 'List invoices, newest first',
    params: projectParams,
    query: z.strictObject({
      customerId: CustomerId.schema.optional(),
      subscriptionId: SubscriptionId.schema.optional(),
      status: z.enum(INVOICE_STATUSES).optional(),
      ...pageQuery,
    }),
    status: 200,
    response: z.object({ invoices: z.array(invoice), pagination }),
    problems: [],
    example: {
      query: { customerId: exampleIds.customer, status: 'paid' },
      response: { invoices: [exampleInvoice], pagination: examplePagination },
    },
  }),
  listPayments: operation({
    id: 'listPayments',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/payments`,
    access: read,
    summary: 'List payments, newest first',
    params: projectParams,
    query: z.strictObject({
      customerId: CustomerId.schema.optional(),
      status: z.enum(PAYMENT_STATUSES).optional(),
      ...pageQuery,
    }),
    status: 200,
    response: z.object({ payments: z.array(payment), pagination }),
    problems: [],
    example: {
      query: { customerId: exampleIds.customer, status: 'partially_refunded' },
      response: { payments: [examplePayment], pagination: examplePagination },
    },
  }),
};
