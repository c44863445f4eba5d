import { z } from 'zod';
import { CustomerId, PriceId, ProductId, SubscriptionId } from '../ids.ts';
import { AMOUNT, currency, MAX_AMOUNT, storedCurrency, unitAmount } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { text } from '../text.ts';
import { createdAt } from '../timestamp.ts';
import { catalogKey } from './catalog-key.ts';
import { BY_KEY, type WithPriceIds } from './price-reference.ts';
import { wantedPromotionCode } from './promotion-code.ts';

/** The processor takes 250 in one call. https://docs.stripe.com/api/invoices/add_lines */
const MAX_LINES = 100;
export const MAX_DAYS_UNTIL_DUE = 365;
/** Unless a request says otherwise. */
export const DAYS_UNTIL_DUE = 30;

const quantity = withDefault(z.int().min(1).max(999_999), 1).describe('How many of it.');
const description = text(500).meta({ description: 'As on the invoice.', example: 'Replacement of a key' });

/** What is billed once, in one of three forms. */
export const newInvoiceLine = z
  .union(
    [
      z.strictObject({ priceId: PriceId.schema.describe('A one-time price.'), quantity }),
      z.strictObject({ priceKey: catalogKey.describe(`A one-time price. ${BY_KEY}`), quantity }),
      z.strictObject({ productId: ProductId.schema, unitAmount, quantity, description: optional(description) }),
      z.strictObject({
        description,
        amount: z
          .int()
          .min(-MAX_AMOUNT)
          .max(MAX_AMOUNT)
          .meta({ description: `What is billed; negative for what is taken off. ${AMOUNT}`, example: 1500 }),
      }),
    ],
    {
      error:
        'Expected a `priceId` or a `priceKey` with a `quantity`, a `productId` with a `unitAmount`, or a `description` with an `amount`.',
    },
  )
  .meta({
    id: 'NewInvoiceLine',
    description: 'What is billed once: a one-time price, a product at an amount of its own, or an amount alone.',
    example: { description: 'Setup', amount: 4900 },
  });

/** What is billed once; a price is named by its id. */
export type NewInvoiceLine = InvoiceCreate['lines'][number];

export const COLLECTIONS = ['saved', 'invoice'] as const;
export const ON_FAILURE = ['void', 'keep'] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

export const invoiceCreate = z
  .strictObject({
    customerId: CustomerId.schema,
    lines: z.array(newInvoiceLine).min(1).max(MAX_LINES).describe('What is billed.'),
    currency: optional(currency).describe('By default that of the first price; needed when no line has a price.'),
    collect: z
      .enum(COLLECTIONS)
      .describe(
        '`saved`: charge the saved payment method now. `invoice`: have it mailed to the customer, who pays it.',
      ),
    daysUntilDue: optional(z.int().min(0).max(MAX_DAYS_UNTIL_DUE)).describe(
      `With \`invoice\`: until when it is to be paid, in days from when it is final; ${DAYS_UNTIL_DUE} by default.`,
    ),
    onFailure: optional(z.enum(ON_FAILURE)).describe(
      'With `saved`, when the payment fails: void the invoice (the default), or keep it open, so that the customer can pay it on its page.',
    ),
    draft: withDefault(z.boolean(), false).describe('Whether it stays a draft until it is finalized.'),
    expectedAmountDue: optional(z.int()).describe(
      `The \`amountDue\` of the preview; if it is another amount, nothing is billed. ${AMOUNT}`,
    ),
    promotionCode: optional(wantedPromotionCode).describe(
      'A promotion code, by its text or id. Without one, the discount that the customer has holds.',
    ),
    purchaseOrder: optional(text(140)).describe('Printed as “PO number”; by default that of the billing details.'),
    memo: optional(text(1_000)).describe('Printed above the lines.'),
    footer: optional(text(1_000)).describe('Printed at the end.'),
    automaticTax: optional(z.boolean()).describe(
      'Whether the payment processor computes the tax; as the project says when absent.',
    ),
  })
  .refine(it => it.currency !== undefined || it.lines.some(line => 'priceId' in line || 'priceKey' in line), {
    path: ['currency'],
    message: 'Without a price the currency is needed.',
  })
  .refine(it => it.collect === 'invoice' || it.daysUntilDue === undefined, {
    path: ['daysUntilDue'],
    message: 'Only what is sent as an invoice has a due date; leave it out, or collect by `invoice`.',
  })
  .refine(it => it.collect === 'saved' || it.onFailure === undefined, {
    path: ['onFailure'],
    message: 'Only what is charged can fail; leave it out, or collect by `saved`.',
  })
  .meta({
    id: 'InvoiceCreate',
    description: 'What to bill once.',
    example: { lines: [{ description: 'Setup', amount: 4900 }], currency: 'usd', collect: 'saved' },
  });

/** What to bill once, with prices that are named by ids. */
export type InvoiceCreate = WithPriceIds<z.output<typeof invoiceCreate>>;

const amount = (what: string, example: number) => z.int().meta({ description: what, example });

export const invoicePreview = z
  .object({
    currency: storedCurrency,
    subtotal: amount('The sum of the lines, after discounts of lines and before others.', 4900),
    discount: amount('What discounts take off.', 0),
    tax: amount('The sum of the taxes, which prices may contain.', 0),
    total: amount('What is billed, with tax and before the customer’s balance.', 4900),
    creditApplied: amount('What is taken from the customer’s balance.', 0),
    debitApplied: amount('What the customer owes from before, and pays with it.', 0),
    carriedOver: amount(
      'What is too little to be charged: below the least charge of the currency the payment processor adds it to the next invoice.',
      0,
    ),
    amountDue: amount(
      `What is to be paid: \`total\`, less \`creditApplied\` and \`carriedOver\`, plus \`debitApplied\`. ${AMOUNT}`,
      4900,
    ),
    lines: z
      .array(
        z.object({
          description: z.string().nullable().meta({ description: 'As on the invoice.', example: 'Setup' }),
          amount: amount('Before discounts and exclusive tax.', 4900),
          quantity: z.int().nullable().meta({ description: 'How many; null when it does not say it.', example: 1 }),
          priceId: PriceId.schema.nullable().describe('Null without a price.'),
        }),
      )
      .readonly()
      .describe('All of them.'),
  })
  .meta({ id: 'InvoicePreview', description: 'What an invoice costs: the payment processor’s own figures.' });
export type InvoicePreview = z.output<typeof invoicePreview>;

/** The payment processor's id of an invoice item. */
export const invoiceItemId = z
  .string()
  .regex(/^ii_[A-Za-z0-9_]{1,250}$/, 'Expected the id of an invoice item.')
  .meta({ description: 'The id at the payment processor.', example: 'ii_1RqZ4K2eZvKYlo2C8nTbW5dE' });

export const invoiceItem = z
  .object({
    id: z.string().meta(invoiceItemId.meta() ?? {}),
    subscriptionId: SubscriptionId.schema,
    description: z.string().nullable().meta({ description: 'As it will be on the invoice.', example: 'Setup' }),
    amount: amount(`Before discounts and exclusive tax; negative for what is taken off. ${AMOUNT}`, 4900),
    currency: storedCurrency,
    quantity: z.int().nullable().meta({ description: 'How many; null when it does not say it.', example: 1 }),
    priceId: PriceId.schema
      .nullable()
      .describe('Null without a price, and when it was created outside of this service.'),
    proration: z.boolean().describe('Whether a change of plan made it.'),
    createdAt,
  })
  .meta({
    id: 'InvoiceItem',
    description: 'What waits for the next invoice of a subscription.',
    example: { proration: false },
  });
export type InvoiceItem = z.output<typeof invoiceItem>;
