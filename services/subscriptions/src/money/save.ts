import type { EntityManager } from '@mikro-orm/postgresql';
import { InvoiceSaved, PaymentSaved } from '@billing/contracts/events/money';
import type { InvoiceState } from '@billing/contracts/resources/invoice';
import type { Payment as PaymentResource } from '@billing/contracts/resources/payment';
import type { Publish } from '@billing/messaging/outbox';
import { saveRecord, type RecordKind, type Source } from '@billing/service/save-record';
import { invoiceRows } from './invoice-rows.ts';
import { toState as toInvoice, type Invoice } from './invoice.entity.ts';
import { paymentRows } from './payment-rows.ts';
import { toResource as toPayment, type Payment } from './payment.entity.ts';

/** A row that is to be saved. */
export interface Saved<Row, Resource> {
  readonly row: Row;
  /** What its events showed of it before it was changed; null for a new one. */
  readonly before: Resource | null;
  readonly source: Source;
}
export type SavedInvoice = Saved<Invoice, InvoiceState>;
export type SavedPayment = Saved<Payment, PaymentResource>;

const INVOICE: RecordKind<Invoice, InvoiceState> = {
  object: 'invoice',
  toState: toInvoice,
  eventOf: () => InvoiceSaved,
};

/** Saves invoices, and publishes each change once: whoever writes one comes here. The caller holds the locks. */
export async function saveInvoices(
  tx: EntityManager,
  publish: Publish,
  saved: readonly SavedInvoice[],
  now: Date,
): Promise<void> {
  for (const { row, before, source } of saved) saveRecord(publish, INVOICE, row, { before, now, ...source });
  await invoiceRows.save(
    tx,
    saved.map(({ row }) => row),
  );
}

/** Saves payments likewise; one of which only a refund, a dispute or an invoice is known is not published. */
export async function savePayments(
  tx: EntityManager,
  publish: Publish,
  saved: readonly SavedPayment[],
  now: Date,
): Promise<void> {
  for (const { row, before, source } of saved) {
    const payment = toPayment(row);
    const kind = { object: 'payment', toState: () => toPayment(row) ?? {}, eventOf: () => PaymentSaved } as const;
    if (payment) saveRecord(publish, kind, row, { before, now, ...source });
  }
  await paymentRows.save(
    tx,
    saved.map(({ row }) => row),
  );
}
