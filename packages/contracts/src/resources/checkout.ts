import { z } from 'zod';
import { CustomerId, PriceId } from '../ids.ts';
import { metadata } from '../metadata.ts';
import { text, webUrl } from '../text.ts';

export const CHECKOUT_MODES = ['subscription', 'payment'] as const;

/** The languages of the processor's page. https://docs.stripe.com/api/checkout/sessions/create */
export const CHECKOUT_LOCALES = [
  'auto',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'en-GB',
  'es',
  'es-419',
  'et',
  'fi',
  'fil',
  'fr',
  'fr-CA',
  'hi-IN',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'ms',
  'mt',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'th',
  'tr',
  'vi',
  'zh',
  'zh-HK',
  'zh-TW',
] as const;

export type CheckoutLocale = (typeof CHECKOUT_LOCALES)[number];

export const checkoutCreate = z
  .strictObject({
    customerId: CustomerId.schema,
    priceId: PriceId.schema,
    quantity: z.int().min(1).max(999_999).default(1),
    /** May contain `{CHECKOUT_SESSION_ID}`, which the processor replaces. */
    successUrl: webUrl,
    cancelUrl: webUrl,
    mode: z.enum(CHECKOUT_MODES).default('subscription'),
    trialDays: z.int().min(1).max(730).optional(),
    /** Refuses a trial to a customer who had one of the same product. */
    trialOncePerCustomer: z.boolean().default(false),
    /** Refuses a customer who has a subscription to the same product. */
    oncePerCustomer: z.boolean().default(false),
    allowPromotionCodes: z.boolean().default(false),
    automaticTax: z.boolean().default(false),
    taxIdCollection: z.boolean().default(false),
    clientReferenceId: text(200).optional(),
    locale: z.enum(CHECKOUT_LOCALES).optional(),
    metadata: metadata.default({}),
  })
  .refine(it => it.mode === 'subscription' || it.trialDays === undefined, {
    path: ['trialDays'],
    message: 'A trial needs subscription mode; omit it in payment mode.',
  });

export const checkoutSession = z.object({ sessionId: z.string(), url: z.string() });
