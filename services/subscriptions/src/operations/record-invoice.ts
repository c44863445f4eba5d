import type { EntityManager } from '@mikro-orm/postgresql';
import { InvoiceId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { supersedes, type InvoiceMoment } from '#domain/invoice.ts';
import { Invoice } from '#persistence/invoice.entity.ts';
import { lock } from '#persistence/locks.ts';
import { findByProcessorId } from './find-subscription.ts';
import { tellInvoice } from './tell-invoice.ts';

/** Keeps what an event says of an invoice, if it is the newer. */
export async function recordInvoice(
  tx: EntityManager,
  scope: ProjectScope,
  { snapshot, moment, customerId }: { snapshot: InvoiceSnapshot; moment: InvoiceMoment; customerId: CustomerId },
): Promise<void> {
  const { teamId, projectId } = scope;
  // Or the subscription might be committed meanwhile without seeing this invoice, and never be linked to it.
  if (snapshot.subscriptionId) await lock(tx, scope, 'subscription', snapshot.subscriptionId);
  await lock(tx, scope, 'invoice', snapshot.id);
  const row = await tx.findOne(Invoice, { teamId, projectId, processorInvoiceId: snapshot.id });
  const status = snapshot.status ?? row?.status;
  if (!status) throw new Error(`Invoice ${snapshot.id} has a status that this service does not know yet.`);

  if (row) {
    const known = {
      status: row.status,
      amountPaid: row.amountPaid,
      moment: { at: row.asOf, rank: row.asOfRank, eventId: row.asOfEvent },
    };
    if (!supersedes({ status, amountPaid: snapshot.amountPaid, moment }, known)) return;
  }
  const subscription = snapshot.subscriptionId ? await findByProcessorId(tx, scope, snapshot.subscriptionId) : null;
  const columns = { ...columnsOf(snapshot, status, moment), subscriptionId: subscription?.id ?? null };
  if (row) {
    tellInvoice(tx, tx.assign(row, columns));
    return;
  }
  const created = tx.create(Invoice, {
    id: InvoiceId.create(),
    teamId,
    projectId,
    processorInvoiceId: snapshot.id,
    customerId,
    ...columns,
    version: 0,
    createdAt: snapshot.createdAt,
    updatedAt: new Date(),
  });
  tellInvoice(tx, created);
}

function columnsOf(snapshot: InvoiceSnapshot, status: InvoiceStatus, moment: InvoiceMoment) {
  const { number, amountDue, amountPaid, amountRemaining, currency, billingReason } = snapshot;
  const { periodStart, periodEnd, dueDate, paidAt } = snapshot;
  return {
    processorSubscriptionId: snapshot.subscriptionId,
    number,
    status,
    amountDue,
    amountPaid,
    amountRemaining,
    currency,
    billingReason,
    hostedInvoiceUrl: snapshot.hostedInvoiceUrl,
    invoicePdfUrl: snapshot.invoicePdfUrl,
    periodStart,
    periodEnd,
    dueDate,
    paidAt,
    asOf: moment.at,
    asOfRank: moment.rank,
    asOfEvent: moment.eventId,
  };
}
