import { z } from 'zod';
import { CustomerId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import { AMOUNT, storedCurrency } from '../money.ts';
import { optional } from '../optional.ts';
import { createdAt, givenTime, timestamp, updatedAt } from '../timestamp.ts';
import { cancellation, cancellationFields } from './cancellation.ts';
import { discount } from './discount.ts';
import { pendingChange, scheduledChange } from './plan-change.ts';
import { INTERVALS, shownAmount } from './price.ts';

export const SUBSCRIPTION_STATUSES = [
  'active',
  'trialing',
  'past_due',
  'canceled',
  'unpaid',
  'incomplete',
  'incomplete_expired',
  'paused',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Statuses that never change again. */
export const ENDED_STATUSES = ['canceled', 'incomplete_expired'] as const satisfies readonly SubscriptionStatus[];

/** Returns whether a subscription in this status has ended for good. */
export const hasEnded = (status: SubscriptionStatus): boolean => ENDED_STATUSES.some(ended => ended === status);

/** What is billed together: a price and how many of it, as the processor has it. */
export const subscriptionItem = z
  .object({
    priceId: PriceId.schema.nullable().meta({
      description: 'Null when the price was created outside of this service.',
      example: PriceId.example,
    }),
    processorPriceId: z.string().describe('The id of the price at the payment processor.'),
    quantity: z.int().describe('How many of it.'),
    ...shownAmount.shape,
    currency: storedCurrency.describe('The subscription’s, which may differ from the default currency of the price.'),
    interval: z.enum(INTERVALS).nullable().describe('Null for a one-time price.'),
    intervalCount: z.int().nullable().describe('Number of intervals between billings; null for a one-time price.'),
  })
  .meta({
    id: 'SubscriptionItem',
    description: 'A price that a subscription bills, and how many of it.',
    example: {
      processorPriceId: 'price_1RqZ4K2eZvKYlo2C8nTbW5dE',
      quantity: 1,
      interval: 'month',
      intervalCount: 1,
    },
  });
export type SubscriptionItem = z.output<typeof subscriptionItem>;

/** A pause of payments as the processor has it. https://docs.stripe.com/billing/subscriptions/pause-payment */
export const pauseCollection = z.object({ behavior: z.string(), resumesAt: timestamp.nullable() });

/** The same as callers see it. */
const pause = z
  .object({
    invoices: z.string().meta({
      description: 'What happens to its invoices: `void`, `keep_as_draft` or `mark_uncollectible`.',
      example: 'void',
    }),
    resumesAt: timestamp.nullable().describe('When it ends by itself; null until someone resumes it.'),
  })
  .meta({ id: 'SubscriptionPause', description: 'A pause of the payments of a subscription.' });

/** https://docs.stripe.com/tax/customer-locations#invoice-finalization-errors */
export const subscriptionTax = z
  .object({
    automatic: z.boolean().describe('Whether the payment processor computes the tax of its invoices.'),
    stoppedReason: z.literal('requires_location_inputs').nullable().meta({
      description:
        'Why the payment processor stopped that by itself: it no longer recognized where the customer is. It starts again once the billing details have a recognized address. Null otherwise.',
      example: null,
    }),
  })
  .meta({ id: 'SubscriptionTax', description: 'How a subscription is taxed.' });
export type SubscriptionTax = z.output<typeof subscriptionTax>;

export const UNTAXED: SubscriptionTax = { automatic: false, stoppedReason: null };

export const subscriptionTaxUpdate = z
  .strictObject({ automatic: z.boolean().describe('Whether to compute tax, from the next invoice on.') })
  .meta({ id: 'SubscriptionTaxUpdate', description: 'How to tax a subscription.', example: { automatic: true } });

export const refusedPaymentMethod = z
  .object({
    message: z.string().meta({
      description: 'Why, in the payment processor’s words.',
      example: 'The payment method type `card` is not allowed for this subscription.',
    }),
    at: timestamp.describe('When the customer saved the payment method.'),
  })
  .meta({ id: 'RefusedPaymentMethod', description: 'A payment method that could not be used.' });

export const subscription = z
  .object({
    id: SubscriptionId.schema,
    customerId: CustomerId.schema,
    processorSubscriptionId: z.string().meta({
      description: 'The id of the subscription at the payment processor.',
      example: 'sub_1RqZ9c2eZvKYlo2CrX0hJ6kL',
    }),
    status: z.enum(SUBSCRIPTION_STATUSES).describe('As the payment processor has it.'),
    priceId: PriceId.schema.optional().meta({
      description: 'Absent when the price was created outside of this service.',
      example: PriceId.example,
    }),
    quantity: z.int().meta({ description: 'Of the first item, as `priceId`.', example: 1 }),
    items: z.array(subscriptionItem).describe('What it bills together.'),
    cancelAtPeriodEnd: z
      .boolean()
      .describe('Whether it is set to end, at the end of the current period or at a set time.'),
    cancelAt: timestamp.nullable().describe('When it ends by itself.'),
    canceledAt: timestamp.nullable().describe('When the cancellation was requested.'),
    cancellation: cancellation.nullable().meta({
      description: 'What the customer said who canceled; null for a subscription that goes on, and without a word.',
      example: null,
    }),
    startedAt: timestamp.describe('When it started at the payment processor.'),
    trialEnd: timestamp.nullable().describe('When its trial ends or ended; null without one.'),
    endedAt: timestamp.nullable().describe('When it ended.'),
    paused: pause
      .nullable()
      .meta({ description: 'Null unless its payments are paused; the status stays what it is.', example: null }),
    tax: subscriptionTax,
    currentPeriodStart: timestamp.describe('When the period that is paid or due began.'),
    currentPeriodEnd: timestamp.meta({
      description: 'When it ends, and the next one is due.',
      example: '2026-04-02T09:30:00.000Z',
    }),
    discounts: z
      .array(discount)
      .readonly()
      .meta({ description: 'What is taken off its invoices, in the order in which it is.', example: [] }),
    scheduledChange: scheduledChange
      .nullable()
      .meta({ description: 'What it changes to at the end of the period; null without one.', example: null }),
    pendingChange: pendingChange
      .nullable()
      .meta({ description: 'A change that waits for its payment; null without one.', example: null }),
    refusedPaymentMethod: refusedPaymentMethod.nullable().meta({
      description:
        'The payment method that the customer saved last in the portal, if the payment processor refused it for this subscription: that is charged as before. Null otherwise.',
      example: null,
    }),
    metadata: storedMetadata,
    projectId: ProjectId.schema,
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Subscription', description: 'A recurring purchase of a customer, created by a completed checkout.' });
export type Subscription = z.output<typeof subscription>;

export const subscriptionUpdate = z
  .strictObject({
    cancelAtPeriodEnd: z.boolean().describe('True cancels at the end of the period; false resumes.'),
    ...cancellationFields,
  })
  .refine(it => it.cancelAtPeriodEnd || (it.reason === undefined && it.comment === undefined), {
    path: ['cancelAtPeriodEnd'],
    message: 'Only a cancellation has a reason and a comment.',
  })
  .meta({
    id: 'SubscriptionUpdate',
    description: 'A scheduled cancellation, or its removal.',
    example: { cancelAtPeriodEnd: true, reason: 'too_expensive', comment: 'I will be back in spring.' },
  });

/** Either a cancellation or a trial. */
export const subscriptionPatch = z
  .strictObject({
    cancelAtPeriodEnd: optional(z.boolean()).describe('True cancels at the end of the period; false resumes.'),
    ...cancellationFields,
    trialEnd: givenTime.nullable().optional().meta({
      description:
        'When its trial is to end, at most 730 days ahead; nothing is charged before. It begins a trial of a subscription that has none. Null ends the trial now, and charges.',
      example: undefined,
    }),
    expectedAmountDue: optional(z.int()).meta({
      description: `With \`trialEnd\` null: the \`amountDue\` of a preview of the change \`{trial: "end"}\`; another amount changes nothing. ${AMOUNT}`,
      example: undefined,
    }),
  })
  .refine(it => (it.cancelAtPeriodEnd === undefined) !== (it.trialEnd === undefined), {
    path: ['cancelAtPeriodEnd'],
    message: 'Expected either `cancelAtPeriodEnd` or `trialEnd`.',
  })
  .refine(it => it.cancelAtPeriodEnd || (it.reason === undefined && it.comment === undefined), {
    path: ['cancelAtPeriodEnd'],
    message: 'Only a cancellation has a reason and a comment.',
  })
  .refine(it => it.expectedAmountDue === undefined || it.trialEnd === null, {
    path: ['expectedAmountDue'],
    message: 'Only the end of a trial now charges anything.',
  })
  .meta({
    id: 'SubscriptionPatch',
    description: 'A scheduled cancellation, or its removal; or another end of the trial.',
    example: { cancelAtPeriodEnd: true, reason: 'too_expensive', comment: 'I will be back in spring.' },
  });
