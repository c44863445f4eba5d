import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, InvoiceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject, scopedKey } from '@billing/database/project-objects';
import type { ClockedCopy } from '#copies/test-clocks';
import { objectRows } from '#rows/object-rows';
import { markStatesOf } from '#state/state-marks';
import { Invoice } from './invoice.entity.ts';

/** The rows of the processor's invoices. */
export const invoiceRows = objectRows(Invoice, {
  kind: 'invoice',
  processorId: 'processorInvoiceId',
  fixed: ['createdAt', 'hasFailed'],
  onSave: markStatesOf,
});

/** Selects the invoices that are past due at a time: open, and with a due date that is past, or without one and tried to be collected. */
export const pastDueAt = (now: Date, onTestClocks: readonly ClockedCopy[]) => ({
  status: 'open' as const,
  $or: [
    { attempted: true, dueDate: null },
    { dueDate: { $lt: now }, customerId: { $nin: onTestClocks.map(({ id }) => id) } },
    ...onTestClocks.map(({ id, testClockNow }) => ({ customerId: id, dueDate: { $lt: testClockNow ?? now } })),
  ],
});

/**
 * Finds an invoice of the project, with its lines if they are named.
 * @throws Problem 404 `invoice_not_found`
 */
export async function findInvoice(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: InvoiceId,
  populate: readonly 'lines'[] = [],
): Promise<Invoice> {
  const where = { teamId, projectId, id };
  const options = { disableIdentityMap: true, failHandler: () => notFound('invoice') };
  return em.findOneOrFail(Invoice, where, { ...options, populate });
}

/** Finds the invoice of a subscription that an operation of ours made; null when there is none. */
export async function findInvoiceOfOperation(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { subscriptionId, operationKey }: { readonly subscriptionId: SubscriptionId; readonly operationKey: string },
): Promise<Invoice | null> {
  return em.findOne(Invoice, { teamId, projectId, subscriptionId, operationKey }, { disableIdentityMap: true });
}

/** Finds the invoice that an operation made for a customer beside subscriptions; null when there is none. */
export async function findInvoiceMadeFor(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { customerId, operationKey }: { readonly customerId: CustomerId; readonly operationKey: string },
): Promise<Invoice | null> {
  const where = { teamId, projectId, customerId, subscriptionId: null, operationKey };
  return em.findOne(Invoice, where, { disableIdentityMap: true });
}

/**
 * Marks the recorded ones of some invoices as those of which a payment failed, for good. Their events and those of their
 * payments both do, so the rows are locked in one order.
 */
export async function markFailedInvoices(tx: EntityManager, invoices: readonly ProjectObject[]): Promise<void> {
  if (invoices.length === 0) return;
  await executeBound(
    tx,
    `with failed as (
       select invoice.id from invoices invoice
         join unnest($1::text[], $2::text[], $3::text[]) as named (team_id, project_id, id)
           on invoice.processor_invoice_id = named.id
          and (invoice.team_id, invoice.project_id) = (named.team_id, named.project_id)
        where not invoice.has_failed
        order by invoice.id for update of invoice)
     update invoices invoice set has_failed = true from failed where failed.id = invoice.id`,
    keyColumns(invoices),
  );
}

const WANTED = 'unnest($1::text[], $2::text[], $3::text[]) as wanted (team_id, project_id, id)';

/** Deletes invoices for good, recorded here or not. The caller holds their locks. */
export async function deleteInvoices(tx: EntityManager, invoices: readonly ProjectObject[]): Promise<void> {
  if (invoices.length === 0) return;
  await executeBound(
    tx,
    `with deleted as (
       delete from invoices invoice using ${WANTED}
        where invoice.processor_invoice_id = wanted.id
          and (invoice.team_id, invoice.project_id) = (wanted.team_id, wanted.project_id))
     insert into deleted_invoices (team_id, project_id, processor_invoice_id)
     select distinct * from ${WANTED} on conflict do nothing`,
    keyColumns(invoices),
  );
}

/** Finds which invoices were deleted, by `scopedKey`. */
export async function findDeletedInvoices(
  tx: EntityManager,
  invoices: readonly ProjectObject[],
): Promise<ReadonlySet<string>> {
  if (invoices.length === 0) return new Set();
  const rows = await executeBound<ProjectScope & { readonly id: string }>(
    tx,
    `select wanted.team_id as "teamId", wanted.project_id as "projectId", wanted.id
       from deleted_invoices deleted join ${WANTED}
         on deleted.processor_invoice_id = wanted.id
        and (deleted.team_id, deleted.project_id) = (wanted.team_id, wanted.project_id)`,
    keyColumns(invoices),
  );
  return new Set(rows.map(({ id, ...scope }) => scopedKey({ scope, id })));
}
