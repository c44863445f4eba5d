import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';

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
