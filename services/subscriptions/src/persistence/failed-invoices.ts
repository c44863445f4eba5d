import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';

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
