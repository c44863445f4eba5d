import { z } from 'zod';
import { exampleOf } from '../example.ts';
import { CustomerId, PriceId, ProductId, SubscriptionId, TestClockId } from '../ids.ts';
import { storedCurrency } from '../money.ts';
import { timestamp } from '../timestamp.ts';
import { FEATURE_TYPES, featureKey, featureValue } from './feature.ts';
import { subscription } from './subscription.ts';

export const SOURCE_REASONS = ['active', 'trial', 'grace', 'grant'] as const;
export const CUSTOMER_PAYMENT_STATUSES = ['ok', 'past_due', 'unpaid'] as const;

/** How many subscriptions of a customer are shown: all decide, but many would be more than anybody reads. */
export const MAX_SHOWN_SUBSCRIPTIONS = 200;

const until = timestamp.nullable().describe('When it ends by itself; null when it does not.');

const source = z
  .object({
    kind: z.enum(['subscription', 'grant']).describe('What gives it: what was bought, or a grant by hand.'),
    id: z.string().meta({ description: 'The subscription; of a grant the customer.', example: SubscriptionId.example }),
    productId: ProductId.schema.nullable().describe('The product that is subscribed to; null of a grant.'),
    priceId: PriceId.schema.nullable().describe('The price that is subscribed to; null of a grant.'),
    value: featureValue.describe('What it gives, times the quantity where it is given per quantity.'),
    quantity: z.int().meta({ description: 'How many are subscribed to.', example: 1 }),
    until,
    reason: z.enum(SOURCE_REASONS).describe('`grace`: the subscription is past due, and goes on granting for a while.'),
  })
  .meta({ id: 'EntitlementSource', description: 'One thing that gives a feature to a customer.' });

export const entitlement = z
  .object({
    type: z.enum(FEATURE_TYPES).describe('What its values are.'),
    value: featureValue.describe('What all sources give together.'),
    until: until.describe('When the value first falls by itself; null when it does not.'),
    sources: z.array(source).readonly().describe('What gives it; the first 100.'),
  })
  .meta({ id: 'Entitlement', description: 'What a customer may use of a feature.', example: { type: 'limit' } });

const payment = z
  .object({
    status: z.enum(CUSTOMER_PAYMENT_STATUSES).describe('The worst of the subscriptions.'),
    pastDueSince: timestamp
      .nullable()
      .describe('When the earliest open invoice was finalized whose payment failed, or was due without a charge.'),
    graceEndsAt: timestamp.nullable().describe('Until when what is past due goes on granting.'),
    nextRetryAt: timestamp.nullable().describe('When the payment processor tries next.'),
    attempts: z.int().meta({ description: 'How often it tried to collect the earliest open invoice.', example: 0 }),
    amountDue: z
      .int()
      .meta({ description: 'What is open of all invoices in the currency of the earliest.', example: 0 }),
    currency: storedCurrency.nullable().describe('Of `amountDue`; null when nothing is open.'),
    hostedInvoiceUrl: z.string().nullable().meta({ description: 'Where the earliest can be paid.', example: null }),
  })
  .meta({ id: 'CustomerPaymentState', description: 'How far a customer has paid.' });

export const featureCheck = z
  .object({
    allowed: z.boolean().meta({
      description: 'Whether the customer may use it: true, a limit above 0, or any of the values.',
      example: true,
    }),
    value: featureValue.nullable().describe('Null when nothing gives it.'),
    until,
    reason: z
      .enum(SOURCE_REASONS)
      .nullable()
      .describe('What gives it: the first of an active subscription, a trial, a grace and a grant.'),
  })
  .meta({
    id: 'FeatureCheck',
    description: 'Whether a customer may use one feature.',
    example: { value: 5, reason: 'active' },
  });
export type FeatureCheck = z.output<typeof featureCheck>;

export const customerBalance = z
  .object({
    credit: z.int().meta({
      description: 'What the next invoices use, in the smallest unit; negative when the customer owes it.',
      example: 500,
    }),
    currency: storedCurrency,
  })
  .meta({ id: 'CustomerBalance', description: 'The balance of a customer at the payment processor.' });
export type CustomerBalance = z.output<typeof customerBalance>;

const pendingCheckout = z
  .object({
    sessionId: z.string().meta({ description: 'The payment processor’s id.', example: 'cs_test_a1b2c3' }),
    priceId: PriceId.schema,
    url: z
      .string()
      .meta({ description: 'The hosted page.', example: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3' }),
    createdAt: timestamp.describe('When it was opened.'),
  })
  .meta({ id: 'PendingCheckout', description: 'A hosted checkout that the customer has not ended.' });

export const CHECKOUT_STATUSES = ['open', 'processing', 'complete', 'failed'] as const;
const checkout = z
  .object({
    status: z
      .enum(CHECKOUT_STATUSES)
      .describe(
        '`processing`: the customer has ended the checkout, and the payment is on its way. `failed`: it expired, or the payment failed.',
      ),
  })
  .meta({ id: 'CheckoutProgress', description: 'How far a hosted checkout is.' });

export const customerState = z
  .object({
    customer: z
      .object({ id: CustomerId.schema, externalId: z.string().nullable(), email: z.string().nullable() })
      .describe('Whose state it is.'),
    subscriptions: z
      .array(
        subscription.extend({
          grants: z.boolean().meta({ description: 'Whether it gives what its products give.', example: true }),
          grantsUntil: until,
        }),
      )
      .readonly()
      .describe(`Those that have not ended, newest first; at most ${MAX_SHOWN_SUBSCRIPTIONS}.`),
    subscriptionsTotal: z.int().meta({
      description: 'How many have not ended, shown or not: all of them count for `entitlements` and `payment`.',
      example: 1,
    }),
    entitlements: z.record(featureKey, entitlement).meta({
      description: 'By feature; one that is not there means no.',
      example: { seats: exampleOf(entitlement) },
    }),
    payment,
    balance: customerBalance.nullable().describe('Null when the payment processor has none yet.'),
    pendingCheckouts: z
      .array(pendingCheckout)
      .readonly()
      .describe('Those that this service created and that can still be paid, newest first.'),
    checkout: checkout.optional().describe('Of the `checkoutSession` that was given.'),
    testClockId: TestClockId.schema
      .optional()
      .describe('The test clock in whose time the customer is billed; absent in real time.'),
    asOf: timestamp.describe('When it was computed; on a test clock by that.'),
  })
  .meta({ id: 'CustomerState', description: 'What a customer may use, and how far it is paid.' });
export type CustomerState = z.output<typeof customerState>;
