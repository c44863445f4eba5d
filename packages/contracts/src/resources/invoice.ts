import { z } from 'zod';
import { CustomerId, InvoiceId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { storedCurrency } from '../money.ts';
import { createdAt, timestamp, updatedAt } from '../timestamp.ts';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

const UNKNOWN = 'Null for an invoice that was recorded before it was known, until a sync reads it.';

const invoiceTax = z
  .object({
    amount: z.int().describe('How much it is.'),
    taxableAmount: z.int().nullable().describe('What is taxed; null when the payment processor does not say it.'),
    inclusive: z.boolean().describe('Whether the prices contain it already.'),
    reason: z
      .string()
      .nullable()
      .describe('Why it is so much, in the payment processor’s words: `standard_rated`, `reverse_charge`…'),
  })
  .meta({
    id: 'InvoiceTax',
    description: 'A tax of an invoice.',
    example: { amount: 479, taxableAmount: 2520, inclusive: true, reason: 'standard_rated' },
  });

export const invoiceLine = z
  .object({
    description: z.string().nullable().describe('As on the invoice.'),
    amount: z.int().describe('Before discounts and exclusive tax; negative when it is credited.'),
    discount: z.int().describe('What discounts take off the amount.'),
    quantity: z.int().nullable().describe('How many; null when it does not say it.'),
    priceId: PriceId.schema
      .nullable()
      .describe('Null without a price, and when it was created outside of this service.'),
    processorPriceId: z.string().nullable().describe('The id of the price at the payment processor.'),
    periodStart: timestamp.describe('When what it bills begins.'),
    periodEnd: timestamp.describe('When what it bills ends.'),
    proration: z.boolean().describe('Whether it bills or credits a part of a period.'),
  })
  .meta({
    id: 'InvoiceLine',
    description: 'One line of an invoice.',
    example: {
      description: '1 × Pro (at $29.99 / month)',
      amount: 2999,
      discount: 0,
      quantity: 1,
      priceId: PriceId.example,
      processorPriceId: 'price_1RqZ4K2eZvKYlo2C8nTbW5dE',
      periodStart: '2026-03-02T09:30:00.000Z',
      periodEnd: '2026-04-02T09:30:00.000Z',
    },
  });

const EXAMPLE = {
  processorInvoiceId: 'in_1RqZ9c2eZvKYlo2CfQ7wM3nB',
  number: 'ACME-0001',
  status: 'paid',
  subtotal: 2999,
  discount: 0,
  tax: 479,
  total: 2999,
  purchaseOrder: '2026-17',
  amountDue: 2999,
  amountPaid: 2999,
  amountRemaining: 0,
  billingReason: 'subscription_create',
  hostedInvoiceUrl: 'https://invoice.stripe.com/i/acct_1Example/test_inv_1',
  invoicePdfUrl: 'https://pay.stripe.com/invoice/acct_1Example/test_inv_1/pdf',
  periodStart: '2026-03-02T09:30:00.000Z',
  periodEnd: '2026-04-02T09:30:00.000Z',
  paidAt: '2026-03-02T09:31:12.000Z',
};

export const invoice = z
  .object({
    id: InvoiceId.schema,
    processorInvoiceId: z.string().describe('The id of the invoice at the payment processor.'),
    customerId: CustomerId.schema,
    subscriptionId: SubscriptionId.schema.nullable().meta({
      description: 'Null when the invoice belongs to no subscription.',
      example: SubscriptionId.example,
    }),
    number: z.string().nullable().describe('The number that the customer sees; null for a draft.'),
    status: z.enum(INVOICE_STATUSES).describe('As the payment processor has it.'),
    subtotal: z
      .int()
      .nullable()
      .describe(`The sum of the lines, after discounts of lines and before others. ${UNKNOWN}`),
    discount: z.int().nullable().describe(`What discounts take off. ${UNKNOWN}`),
    tax: z.int().nullable().describe(`The sum of the taxes. ${UNKNOWN}`),
    total: z.int().nullable().describe(`What is billed, with tax and before the customer’s balance. ${UNKNOWN}`),
    taxes: z.array(invoiceTax).readonly().describe('One for each rate and reason.'),
    customerTaxIds: z
      .array(
        z.object({
          type: z.string().meta({ description: 'The kind, as in the billing details.', example: 'eu_vat' }),
          value: z.string().meta({ description: 'As on the invoice.', example: 'DE123456789' }),
        }),
      )
      .readonly()
      .describe('What identified the customer to tax offices. Empty once the customer is deleted.'),
    purchaseOrder: z
      .string()
      .nullable()
      .describe('The customer’s order number. Null without one, and once the customer is deleted.'),
    amountDue: z.int().describe('What is to be paid.'),
    amountPaid: z.int().describe('The part of it that was paid.'),
    amountRemaining: z.int().describe('The part of it that is still to be paid.'),
    currency: storedCurrency,
    billingReason: z.string().nullable().describe('Why the payment processor created it.'),
    hostedInvoiceUrl: z.string().nullable().describe('The invoice’s page at the payment processor.'),
    invoicePdfUrl: z.string().nullable().describe('The invoice as PDF, served by the payment processor.'),
    periodStart: timestamp.nullable().describe('When the billed period began.'),
    periodEnd: timestamp.nullable().describe('When the billed period ended, or ends.'),
    dueDate: timestamp.nullable().describe('Until when it is to be paid; null when it is collected automatically.'),
    paidAt: timestamp.nullable().describe('Null until it is paid.'),
    projectId: ProjectId.schema,
    createdAt,
    updatedAt,
  })
  .meta({
    id: 'Invoice',
    description: 'An invoice of the payment processor; amounts are in the currency’s smallest unit.',
    example: EXAMPLE,
  });
export type Invoice = z.output<typeof invoice>;

export const wholeInvoice = invoice
  .extend({
    lines: z
      .array(invoiceLine)
      .describe('All of them. Empty for an invoice that was recorded before they were known, until a sync reads it.'),
  })
  .meta({ id: 'WholeInvoice', description: 'An invoice with its lines.', example: EXAMPLE });
export type InvoiceLine = z.output<typeof invoiceLine>;
export type WholeInvoice = z.output<typeof wholeInvoice>;

/** What events and other services get of an invoice: nothing that tells who was billed. */
export const invoiceState = invoice
  .omit({ customerTaxIds: true, purchaseOrder: true })
  .meta({ description: 'An invoice without tax ids and order number, which only its GET has.', example: EXAMPLE });
export type InvoiceState = z.output<typeof invoiceState>;
