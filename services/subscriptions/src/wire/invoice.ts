import type { Invoice as InvoiceResource } from '@billing/contracts/resources/invoice';
import type { Invoice } from '#persistence/invoice.entity.ts';

/** An invoice as callers and other services see it. */
export function toResource(row: Invoice): InvoiceResource {
  return {
    id: row.id,
    processorInvoiceId: row.processorInvoiceId,
    customerId: row.customerId,
    subscriptionId: row.subscriptionId ?? null,
    number: row.number ?? null,
    status: row.status,
    amountDue: row.amountDue,
    amountPaid: row.amountPaid,
    amountRemaining: row.amountRemaining,
    currency: row.currency,
    billingReason: row.billingReason ?? null,
    hostedInvoiceUrl: row.hostedInvoiceUrl ?? null,
    invoicePdfUrl: row.invoicePdfUrl ?? null,
    periodStart: row.periodStart ?? null,
    periodEnd: row.periodEnd ?? null,
    dueDate: row.dueDate ?? null,
    paidAt: row.paidAt ?? null,
    projectId: row.projectId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
