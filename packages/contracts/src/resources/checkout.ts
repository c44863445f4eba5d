import { z } from 'zod';
import { CustomerId, PriceId } from '../ids.ts';
import { AMOUNT, currency } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { metadata } from '../metadata.ts';
import { text, webUrl } from '../text.ts';
import { invoice } from './invoice.ts';
import { atMostOne, exactlyOne, noneTwice, priceReference, type WithPriceIds } from './price-reference.ts';
import { DAYS_UNTIL_DUE, MAX_DAYS_UNTIL_DUE } from './invoice-create.ts';
import { wantedPromotionCode } from './promotion-code.ts';
import { subscription } from './subscription.ts';

export const CHECKOUT_MODES = ['subscription', 'payment'] as const;

const LOCALES =
  'auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW';
type Words<Text extends string> = Text extends `${infer First} ${infer Others}` ? First | Words<Others> : Text;
export type CheckoutLocale = Words<typeof LOCALES>;

/** The languages of the processor's page. https://docs.stripe.com/api/checkout/sessions/create */
export const CHECKOUT_LOCALES = LOCALES.split(' ') as CheckoutLocale[]; // the same words

const flag = withDefault(z.boolean(), false);

/** How it is paid: on a hosted page; or at once, by the saved payment method, an invoice, or not at all. */
export const CHECKOUT_COLLECTIONS = ['page', 'saved', 'invoice', 'nothing'] as const;
/** Where a page is shown: on the processor's own site, or inside a page of the seller. */
export const CHECKOUT_PAGES = ['hosted', 'embedded'] as const;
export const PAYMENT_METHOD_COLLECTIONS = ['always', 'if_required'] as const;
export const TRIAL_ENDS = ['cancel', 'pause', 'create_invoice'] as const;

/** The processor takes 20 recurring prices and 20 one-time prices. */
const MAX_ITEMS = 20;
const quantity = z.int().min(1).max(999_999);
const METERED = 'Ignored for a metered price, which is billed by usage.';

/** What only a page has. */
const OF_PAGE = [
  'page',
  'successUrl',
  'cancelUrl',
  'allowPromotionCodes',
  'taxIdCollection',
  'clientReferenceId',
  'locale',
  'paymentMethodCollection',
] as const;

export const checkoutCreate = z
  .strictObject({
    customerId: CustomerId.schema,
    ...priceReference,
    priceId: priceReference.priceId.describe('The price of what is sold, if it is one thing.'),
    quantity: optional(quantity).describe(`How many of \`priceId\`, by default 1. ${METERED}`),
    items: optional(
      z
        .array(
          z
            .strictObject({ ...priceReference, quantity: withDefault(quantity, 1).describe(METERED) })
            .refine(...exactlyOne),
        )
        .min(1)
        .max(MAX_ITEMS)
        .refine(...noneTwice),
    ).meta({
      description:
        'All that is sold, instead of `priceId` and `quantity`. In `subscription` mode one-time prices are billed once, with the first invoice.',
      example: undefined,
    }),
    currency: optional(currency).describe('A currency that each price has; by default that of the first one.'),
    collect: withDefault(z.enum(CHECKOUT_COLLECTIONS), 'page').describe(
      '`page`: the customer pays on a hosted page. Else the subscription is created at once: `saved` charges the saved payment method, `invoice` has an invoice mailed, `nothing` needs that nothing is due.',
    ),
    daysUntilDue: optional(z.int().min(0).max(MAX_DAYS_UNTIL_DUE)).describe(
      `With \`invoice\`: until when each invoice is to be paid, in days; ${DAYS_UNTIL_DUE} by default.`,
    ),
    expectedAmountDue: optional(z.int()).describe(
      `Without a page: what is due now, as the customer has seen it; if it is another amount, nothing is sold. ${AMOUNT}`,
    ),
    page: optional(z.enum(CHECKOUT_PAGES)).describe(
      '`hosted` by default: `url` leads to it. `embedded`: your own page shows it, with `clientSecret` and `publishableKey`.',
    ),
    successUrl: optional(webUrl).describe(
      'Needed for a page: redirect target after success; the processor replaces `{CHECKOUT_SESSION_ID}` with the id of the session.',
    ),
    cancelUrl: optional(webUrl).describe(
      'Needed for a hosted page: redirect target when the customer cancels. An embedded page has none.',
    ),
    paymentMethodCollection: optional(z.enum(PAYMENT_METHOD_COLLECTIONS)).describe(
      'Whether the page always asks for a payment method (the default), or only if something is due.',
    ),
    trialEndsWithoutMethod: optional(z.enum(TRIAL_ENDS)).describe(
      'What becomes of the subscription whose trial ends without a payment method; only with `trialDays`.',
    ),
    mode: withDefault(z.enum(CHECKOUT_MODES), 'subscription').describe(
      '`subscription` for a recurring price, `payment` for a one-time price.',
    ),
    trialDays: optional(z.int().min(1).max(730)).describe(
      'Free days before the first payment; only in `subscription` mode.',
    ),
    trialOncePerCustomer: flag.describe(
      'Whether to reject a trial for a customer who had one of the same product before.',
    ),
    oncePerCustomer: flag.describe(
      'Whether to reject a customer who has a subscription to the same product that has not ended.',
    ),
    allowPromotionCodes: optional(z.boolean()).describe('Whether the customer can enter promotion codes.'),
    promotionCode: optional(wantedPromotionCode).describe(
      'A promotion code that counts from the start, by its text or id; not with `allowPromotionCodes`.',
    ),
    automaticTax: optional(z.boolean()).describe(
      'Whether the payment processor calculates the tax; the customer’s address is updated. As the project says when absent.',
    ),
    taxIdCollection: optional(z.boolean()).describe(
      'Whether the customer can enter tax ids; the customer’s name and address are updated.',
    ),
    clientReferenceId: optional(text(200)).describe(
      'Your own reference, which the payment processor stores with the session.',
    ),
    locale: optional(z.enum(CHECKOUT_LOCALES)).describe(
      'The language of the page; that of the browser when it is `auto` or absent.',
    ),
    metadata: withDefault(metadata, {}).describe(`${metadata.description} Passed to the payment processor.`),
  })
  .refine(it => it.mode === 'subscription' || it.trialDays === undefined, {
    path: ['trialDays'],
    message: 'A trial needs subscription mode; omit it in payment mode.',
  })
  .refine(...atMostOne)
  .refine(it => (it.items === undefined) !== (it.priceId === undefined && it.priceKey === undefined), {
    path: ['items'],
    message: 'Expected either `priceId`, or `priceKey`, or `items`.',
  })
  .refine(it => it.items === undefined || it.quantity === undefined, {
    path: ['quantity'],
    message: 'Each of the `items` has its own.',
  })
  .superRefine((it, context) => {
    const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (it.collect === 'page') {
      if (!it.successUrl) reject('successUrl', 'A page needs it.');
      if (it.page === 'embedded' && it.cancelUrl) reject('cancelUrl', 'An embedded page has none; leave it out.');
      if (it.page !== 'embedded' && !it.cancelUrl) reject('cancelUrl', 'A hosted page needs it.');
      if (it.expectedAmountDue !== undefined) reject('expectedAmountDue', 'The page says what is due; leave it out.');
    } else {
      for (const field of OF_PAGE) if (it[field] !== undefined) reject(field, 'Only a page has it; leave it out.');
      if (it.mode !== 'subscription') reject('mode', 'Without a page only subscriptions are sold; create an invoice.');
    }
    if (it.collect !== 'invoice' && it.daysUntilDue !== undefined)
      reject('daysUntilDue', 'Only what is sent as an invoice has a due date; leave it out.');
    if (it.trialDays === undefined && it.trialEndsWithoutMethod !== undefined)
      reject('trialEndsWithoutMethod', 'Only a trial ends; give `trialDays` too.');
  })
  .refine(it => it.promotionCode === undefined || !it.allowPromotionCodes, {
    path: ['promotionCode'],
    message: 'Either give a promotion code, or let the customer enter one.',
  })
  .meta({
    id: 'CheckoutCreate',
    description: 'A hosted checkout to create.',
    example: {
      priceId: PriceId.example,
      successUrl: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
      cancelUrl: 'https://shop.example/pricing',
      trialDays: 14,
    },
  });

/** A checkout to create, whose prices are named by ids. */
export type CheckoutCreate = WithPriceIds<z.output<typeof checkoutCreate>>;

export const checkoutSession = z
  .object({
    sessionId: z.string().nullable().describe('The processor’s id of the session; null without a page.'),
    url: z.string().nullable().describe('Redirect the customer here; null without a hosted page.'),
    clientSecret: z.string().nullable().describe('Shows the embedded page to this customer; else null.'),
    publishableKey: z
      .string()
      .nullable()
      .describe('For the embedded page: that of the connection; null when the connection has none.'),
    subscription: subscription.nullable().describe('What was sold without a page; null with one.'),
    invoice: invoice.nullable().describe('The first invoice of that; null with a page.'),
  })
  .meta({
    id: 'CheckoutSession',
    description: 'A checkout page of the payment processor, or what was sold without one.',
    example: {
      subscription: null,
      invoice: null,
      clientSecret: null,
      publishableKey: null,
      sessionId: 'cs_test_a1B2c3D4e5F6g7H8',
      url: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3D4e5F6g7H8',
    },
  });
