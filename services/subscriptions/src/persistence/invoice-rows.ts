import { Invoice } from './invoice.entity.ts';
import { objectRows } from './object-rows.ts';
import { markStatesOf } from './state-marks.ts';

/** The rows of the processor's invoices. */
export const invoiceRows = objectRows(Invoice, {
  kind: 'invoice',
  processorId: 'processorInvoiceId',
  fixed: ['createdAt', 'hasFailed'],
  onSave: markStatesOf,
});
