import { z } from 'zod';
import { PriceId, SubscriptionChangeId } from '../ids.ts';
import { AMOUNT, storedCurrency } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { PENDING_REASONS } from '../problem-details.ts';
import { givenTime, timestamp } from '../timestamp.ts';
import { atMostOne, exactlyOne, noneTwice, priceReference, type WithPriceIds } from './price-reference.ts';
import { wantedPromotionCode } from './promotion-code.ts';
import { featureKey, featureValue } from './feature.ts';

const MAX_ITEMS = 20;
const quantity = z.int().min(1).max(999_999).meta({ description: 'How many of it.', example: 3 });

export const CHANGE_TIMES = ['now', 'period_end', 'auto'] as const;
export const PRORATIONS = ['always_invoice', 'create_prorations', 'none'] as const;
export type Proration = (typeof PRORATIONS)[number];
export const PAYMENT_BEHAVIORS = ['pending_if_incomplete', 'error_if_incomplete'] as const;

/** Whether the billing period goes on, or a new one begins now. */
export const BILLING_CYCLES = ['keep', 'restart'] as const;

export const planChange = z
  .strictObject({
    ...priceReference,
    priceId: priceReference.priceId.describe('The new price of a subscription of one item; as it is if absent.'),
    quantity: optional(quantity).describe('The new quantity of a subscription of one item; as it is if absent.'),
    items: optional(
      z
        .array(z.strictObject({ ...priceReference, quantity: withDefault(quantity, 1) }).refine(...exactlyOne))
        .min(1)
        .max(MAX_ITEMS)
        .refine(...noneTwice),
    ).meta({
      description: 'All items that the subscription is to have, instead of `priceId` and `quantity`.',
      example: undefined,
    }),
    when: withDefault(z.enum(CHANGE_TIMES), 'now').describe(
      '`auto`: at the end of the period if the monthly amount falls or the interval becomes shorter, else now.',
    ),
    proration: optional(z.enum(PRORATIONS)).describe(
      'How the rest of the period is billed: on an invoice now (the default), on the next invoice, or not at all. At the end of the period and in a trial always `none`.',
    ),
    prorationDate: optional(givenTime).describe(
      'From when on it is prorated: that of a preview, so that the invoice is the same to the cent.',
    ),
    expectedAmountDue: optional(z.int()).describe(
      `The \`amountDue\` of the preview that the customer has seen; another amount changes nothing. ${AMOUNT}`,
    ),
    paymentBehavior: withDefault(z.enum(PAYMENT_BEHAVIORS), 'pending_if_incomplete').describe(
      'If the payment fails: keep the change pending until it is paid, or change nothing. The new plan is never given without payment.',
    ),
    promotionCode: wantedPromotionCode
      .nullable()
      .optional()
      .describe('A promotion code to add, by its text or id; null removes all discounts. Kept as they are if absent.'),
    trial: withDefault(z.enum(['keep', 'end']), 'keep').describe('`end` ends a trial and charges now.'),
    billingCycle: withDefault(z.enum(BILLING_CYCLES), 'keep').describe(
      '`restart` begins a period now, which is charged as a whole less the unused part of the current one, as a new interval does by itself. A trial keeps its end.',
    ),
  })
  .refine(...atMostOne)
  .refine(it => it.items === undefined || [it.priceId, it.priceKey, it.quantity].every(one => one === undefined), {
    path: ['items'],
    message: 'Expected either `items`, or a price and `quantity`.',
  })
  .refine(it => it.when !== 'period_end' || it.proration === undefined || it.proration === 'none', {
    path: ['proration'],
    message: 'At the end of the period nothing is prorated: leave it out, or send `none`.',
  })
  .refine(it => it.when !== 'period_end' || it.billingCycle === 'keep', {
    path: ['billingCycle'],
    message: 'A change at the end of the period cannot begin one now.',
  })
  .refine(it => it.when !== 'period_end' || it.trial === 'keep', {
    path: ['trial'],
    message: 'A change at the end of the period cannot end the trial now.',
  })
  .meta({
    id: 'PlanChange',
    description: 'What a subscription is to become.',
    example: { priceId: PriceId.example, quantity: 3 },
  });

/** What a subscription is to become, whose prices are named by ids. */
export type PlanChange = WithPriceIds<z.output<typeof planChange>>;

export const planChangeItem = z
  .object({
    priceId: PriceId.schema.nullable().describe('Null when the price was created outside of this service.'),
    processorPriceId: z.string().meta({
      description: 'The id of the price at the payment processor.',
      example: 'price_1RqZ4K2eZvKYlo2C8nTbW5dE',
    }),
    quantity: z.int().meta({ description: 'How many of it.', example: 3 }),
  })
  .meta({ id: 'PlanChangeItem', description: 'What a subscription will bill.' });
export type PlanChangeItem = z.output<typeof planChangeItem>;

const items = z.array(planChangeItem).readonly().describe('All that the subscription will bill.');

export const scheduledChange = z
  .object({ id: SubscriptionChangeId.schema, items, effectiveAt: timestamp.describe('When it takes effect.') })
  .meta({ id: 'ScheduledChange', description: 'A change of plan at the end of the period.' });
export type ScheduledChange = z.output<typeof scheduledChange>;

export const pendingChange = z
  .object({
    id: SubscriptionChangeId.schema,
    items,
    amountDue: z.int().meta({ description: `What has to be paid for it. ${AMOUNT}`, example: 2113 }),
    reason: z
      .enum(PENDING_REASONS)
      .describe('Why it is not paid: the bank wants the customer to confirm it, or declined it.'),
    hostedInvoiceUrl: z
      .string()
      .nullable()
      .meta({ description: 'Where the customer pays it.', example: 'https://invoice.stripe.com/i/acct_1/test_1' }),
    expiresAt: timestamp.describe('When it is dropped if it is not paid, at most 23 hours after it was made.'),
  })
  .meta({
    id: 'PendingChange',
    description: 'A change of plan that waits for its payment.',
    example: { reason: 'declined' },
  });
export type PendingChange = z.output<typeof pendingChange>;

const amount = (description: string, example: number) => z.int().meta({ description, example });

export const previewLine = z
  .object({
    description: z
      .string()
      .nullable()
      .meta({ description: 'As on the invoice.', example: 'Remaining time on 8 × Starter after 13 Apr 2026' }),
    amount: amount(`Before discounts and tax; negative when it is credited. ${AMOUNT}`, 5636),
    quantity: z.int().nullable().meta({ description: 'How many; null when it does not say it.', example: 8 }),
    priceId: PriceId.schema.nullable().describe('Null when the price was created outside of this service.'),
    periodStart: timestamp.describe('When what it bills begins.'),
    periodEnd: timestamp.describe('When what it bills ends.'),
    proration: z.boolean().describe('Whether it bills or credits a part of a period.'),
  })
  .meta({ id: 'PlanChangePreviewLine', description: 'One line of a previewed invoice.', example: { proration: true } });

export const planChangePreview = z
  .object({
    direction: z
      .enum(['up', 'down', 'same'])
      .describe('Whether the exact monthly amount rises, falls or stays, at face value.'),
    effectiveAt: timestamp.describe('When the change takes effect.'),
    currency: storedCurrency,
    amountDue: amount(
      `What the customer pays today: \`total\`, less \`creditApplied\` and \`carriedOver\`, plus \`debitApplied\` and \`creditGranted\`. ${AMOUNT}`,
      2113,
    ),
    subtotal: amount('The sum of the lines, after discounts of lines and before others.', 2113),
    discount: amount('What discounts take off.', 0),
    tax: amount('What taxes add.', 0),
    creditApplied: amount('What is taken from the customer’s balance.', 0),
    creditGranted: amount('What is added to the customer’s balance.', 0),
    debitApplied: amount('What the customer owes from before, and pays with it.', 0),
    carriedOver: amount(
      'What is too little to be charged today: below the least charge of the currency the payment processor adds it to the next invoice.',
      0,
    ),
    total: amount('Of the invoice that is due today, else of the next one.', 2113),
    lines: z.array(previewLine).readonly().describe('Of the invoice that is due today, else of the next one.'),
    nextInvoice: z
      .object({ at: timestamp.describe('When it is made.'), total: amount('What it will be.', 9600) })
      .nullable()
      .describe('The next invoice after the change; null when the subscription ends before.'),
    prorationDate: timestamp
      .nullable()
      .describe('Send it with the change, so that its invoice is the same to the cent; null when `exact` is false.'),
    exact: z.boolean().meta({
      description: 'Whether the invoice will be the same to the cent; false for a new period.',
      example: true,
    }),
    expiresAt: timestamp.describe('Until when `prorationDate` and `expectedAmountDue` are accepted.'),
    entitlementChanges: z
      .array(
        z.object({
          feature: featureKey,
          from: featureValue.nullable().describe('Null when nothing gives it before.'),
          to: featureValue.nullable().describe('Null when nothing gives it afterwards.'),
        }),
      )
      .readonly()
      .describe('What the customer may use afterwards, where it differs.'),
  })
  .meta({
    id: 'PlanChangePreview',
    description: 'What a change of plan costs: the payment processor’s own figures.',
    example: { direction: 'up' },
  });
export type PlanChangePreview = z.output<typeof planChangePreview>;

export const CHANGE_STATUSES = ['applied', 'scheduled', 'pending_payment'] as const;

export const madeChange = z
  .object({
    id: SubscriptionChangeId.schema,
    status: z
      .enum(CHANGE_STATUSES)
      .describe('`pending_payment`: the subscription is as before until the customer has paid.'),
    items,
    effectiveAt: timestamp.nullable().describe('When it takes effect; null while it is pending.'),
  })
  .meta({ id: 'MadePlanChange', description: 'A change of plan that was made.', example: { status: 'applied' } });
export type MadeChange = z.output<typeof madeChange>;
