import { z } from 'zod';
import { CustomerId, InvoiceId, ProjectId, SubscriptionId } from '../ids.ts';
import { storedCurrency } from '../money.ts';
import { createdAt, timestamp, updatedAt } from '../timestamp.ts';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

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
    example: {
      processorInvoiceId: 'in_1RqZ9c2eZvKYlo2CfQ7wM3nB',
      number: 'ACME-0001',
      status: 'paid',
      amountDue: 2999,
      amountPaid: 2999,
      amountRemaining: 0,
      billingReason: 'subscription_create',
      hostedInvoiceUrl: 'https://invoice.stripe.com/i/acct_1Example/test_inv_1',
      invoicePdfUrl: 'https://pay.stripe.com/invoice/acct_1Example/test_inv_1/pdf',
      periodStart: '2026-03-02T09:30:00.000Z',
      periodEnd: '2026-04-02T09:30:00.000Z',
      paidAt: '2026-03-02T09:31:12.000Z',
    },
  });
export type Invoice = z.output<typeof invoice>;
