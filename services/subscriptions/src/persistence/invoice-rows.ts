import { Invoice } from './invoice.entity.ts';
import { objectRows } from './object-rows.ts';

/** The rows of the processor's invoices. */
export const invoiceRows = objectRows(Invoice, {
  kind: 'invoice',
  processorId: 'processorInvoiceId',
  fixed: ['createdAt'],
});
