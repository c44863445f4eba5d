import { z } from 'zod';
import { CustomerId, InvoiceId, ProjectId, SubscriptionId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** Amounts are in the currency's smallest unit. */
export const invoice = z.object({
  id: InvoiceId.schema,
  processorInvoiceId: z.string(),
  customerId: CustomerId.schema,
  subscriptionId: SubscriptionId.schema.nullable(),
  number: z.string().nullable(),
  status: z.enum(INVOICE_STATUSES),
  amountDue: z.int(),
  amountPaid: z.int(),
  amountRemaining: z.int(),
  currency: z.string(),
  billingReason: z.string().nullable(),
  hostedInvoiceUrl: z.string().nullable(),
  invoicePdfUrl: z.string().nullable(),
  periodStart: timestamp.nullable(),
  periodEnd: timestamp.nullable(),
  dueDate: timestamp.nullable(),
  paidAt: timestamp.nullable(),
  projectId: ProjectId.schema,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Invoice = z.output<typeof invoice>;
