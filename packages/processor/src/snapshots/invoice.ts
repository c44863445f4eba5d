import { z } from 'zod';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

/** An invoice of the processor; amounts in the currency's smallest unit. */
export interface InvoiceSnapshot {
  readonly id: string;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  /** The subscription's metadata when the invoice was made; it names the project. */
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
 * Reads an invoice in the shape of any API version: its subscription stands in `subscription`, and since 2025-03-31 in
 * `parent`. https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects
 */
export function readInvoice(raw: unknown): InvoiceSnapshot {
  const it = invoice.parse(raw);
  const details = it.parent?.subscription_details;
  return {
    id: it.id,
    customerId: it.customer,
    subscriptionId: details?.subscription ?? it.subscription,
    subscriptionMetadata: details?.metadata ?? it.subscription_details?.metadata ?? {},
    metadata: it.metadata,
    number: it.number,
    status: INVOICE_STATUSES.find(known => known === it.status) ?? null,
    amountDue: it.amount_due,
    amountPaid: it.amount_paid,
    amountRemaining: it.amount_remaining,
    currency: it.currency,
    billingReason: it.billing_reason,
    hostedInvoiceUrl: it.hosted_invoice_url,
    invoicePdfUrl: it.invoice_pdf,
    periodStart: it.period_start,
    periodEnd: it.period_end,
    dueDate: it.due_date,
    paidAt: it.status_transitions?.paid_at ?? null,
    createdAt: it.created,
  };
}
