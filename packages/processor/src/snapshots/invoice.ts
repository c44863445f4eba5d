import { z } from 'zod';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

/** An invoice of the processor; amounts in the currency's smallest unit. */
export interface InvoiceSnapshot {
  readonly id: string;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** The subscription's metadata when the invoice was created; it names the project. */
  readonly subscriptionMetadata: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly number: string | null;
  /** Null for a status that is newer than this service. */
  readonly status: InvoiceStatus | null;
  readonly amountDue: number;
  readonly amountPaid: number;
  readonly amountRemaining: number;
  readonly currency: string;
  readonly billingReason: string | null;
  readonly hostedInvoiceUrl: string | null;
  readonly invoicePdfUrl: string | null;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
  readonly dueDate: Date | null;
  readonly paidAt: Date | null;
  readonly createdAt: Date;
}

const subscriptionDetails = z.object({ subscription: orNull(reference), metadata: processorMetadata });
const invoice = z.object({
  id: z.string(),
  customer: orNull(reference),
  subscription: orNull(reference),
  subscription_details: orNull(z.object({ metadata: processorMetadata })),
  parent: orNull(z.object({ subscription_details: orNull(subscriptionDetails) })),
  metadata: processorMetadata,
  number: orNull(z.string()),
  status: orNull(z.string()),
  amount_due: z.int(),
  amount_paid: z.int(),
  amount_remaining: z.int(),
  currency: z.string(),
  billing_reason: orNull(z.string()),
  hosted_invoice_url: orNull(z.string()),
  invoice_pdf: orNull(z.string()),
  period_start: orNull(unixTime),
  period_end: orNull(unixTime),
  due_date: orNull(unixTime),
  status_transitions: orNull(z.object({ paid_at: orNull(unixTime) })),
  created: unixTime,
});

/**
 * Parses an invoice of any API version: its subscription is in `subscription`, and since 2025-03-31 in `parent`. https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects
 */
export function readInvoice(raw: unknown): InvoiceSnapshot {
  const fields = invoice.parse(raw);
  const details = fields.parent?.subscription_details;
  return {
    id: fields.id,
    customerId: fields.customer,
    subscriptionId: details?.subscription ?? fields.subscription,
    subscriptionMetadata: details?.metadata ?? fields.subscription_details?.metadata ?? {},
    metadata: fields.metadata,
    number: fields.number,
    status: INVOICE_STATUSES.find(status => status === fields.status) ?? null,
    amountDue: fields.amount_due,
    amountPaid: fields.amount_paid,
    amountRemaining: fields.amount_remaining,
    currency: fields.currency,
    billingReason: fields.billing_reason,
    hostedInvoiceUrl: fields.hosted_invoice_url,
    invoicePdfUrl: fields.invoice_pdf,
    periodStart: fields.period_start,
    periodEnd: fields.period_end,
    dueDate: fields.due_date,
    paidAt: fields.status_transitions?.paid_at ?? null,
    createdAt: fields.created,
  };
}
