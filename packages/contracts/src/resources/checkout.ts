import { z } from 'zod';
import { CustomerId, PriceId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { metadata } from '../metadata.ts';
import { text, webUrl } from '../text.ts';
import { wantedPromotionCode } from './promotion-code.ts';

export const CHECKOUT_MODES = ['subscription', 'payment'] as const;

const LOCALES =
  'auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW';
type Words<Text extends string> = Text extends `${infer First} ${infer Others}` ? First | Words<Others> : Text;
export type CheckoutLocale = Words<typeof LOCALES>;

/** The languages of the processor's page. https://docs.stripe.com/api/checkout/sessions/create */
export const CHECKOUT_LOCALES = LOCALES.split(' ') as CheckoutLocale[]; // the same words

const flag = withDefault(z.boolean(), false);

export const checkoutCreate = z
  .strictObject({
    customerId: CustomerId.schema,
    priceId: PriceId.schema,
    quantity: withDefault(z.int().min(1).max(999_999), 1).describe(
      'Ignored for a metered price, which is billed by usage.',
    ),
    successUrl: webUrl.describe(
      'Redirect target after success; the processor replaces `{CHECKOUT_SESSION_ID}` with the id of the session.',
    ),
    cancelUrl: webUrl.describe('Redirect target when the customer cancels.'),
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
    allowPromotionCodes: flag.describe('Whether the customer can enter promotion codes.'),
    promotionCode: optional(wantedPromotionCode).describe(
      'A promotion code that counts from the start, by its text or id; not with `allowPromotionCodes`.',
    ),
    automaticTax: optional(z.boolean()).describe(
      'Whether the payment processor calculates the tax; the customer’s address is updated. As the project says when absent.',
    ),
    taxIdCollection: flag.describe(
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
  .refine(it => it.promotionCode === undefined || !it.allowPromotionCodes, {
    path: ['promotionCode'],
    message: 'Either give a promotion code, or let the customer enter one.',
  })
  .meta({
    id: 'CheckoutCreate',
    description: 'A hosted checkout to create.',
    example: {
      successUrl: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
      cancelUrl: 'https://shop.example/pricing',
      trialDays: 14,
    },
  });

export const checkoutSession = z
  .object({
    sessionId: z.string().describe('The processor’s id of the session.'),
    url: z.string().describe('Redirect the customer here.'),
  })
  .meta({
    id: 'CheckoutSession',
    description: 'A hosted checkout page of the payment processor.',
    example: {
      sessionId: 'cs_test_a1B2c3D4e5F6g7H8',
      url: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3D4e5F6g7H8',
    },
  });
