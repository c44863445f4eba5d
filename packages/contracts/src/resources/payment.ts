import { z } from 'zod';
import { CustomerId, InvoiceId, PaymentId, ProjectId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

/** A payment whose dispute was won is `succeeded` again. */
export const PAYMENT_STATUSES = [
  'succeeded',
  'failed',
  'refunded',
  'partially_refunded',
  'disputed',
  'dispute_lost',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Amounts are in the currency's smallest unit. */
export const payment = z.object({
  id: PaymentId.schema,
  /** Null for a charge without a payment intent, which only old integrations make. */
  processorPaymentIntentId: z.string().nullable(),
  processorChargeId: z.string().nullable(),
  customerId: CustomerId.schema.nullable(),
  invoiceId: InvoiceId.schema.nullable(),
  amount: z.int(),
  amountRefunded: z.int(),
  currency: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  failureCode: z.string().nullable(),
  failureMessage: z.string().nullable(),
  projectId: ProjectId.schema,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Payment = z.output<typeof payment>;
