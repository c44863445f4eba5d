import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';
import { invoiceRows } from './invoice-rows.ts';

const OF_CUSTOMERS = `unnest($1::text[], $2::text[], $3::text[]) as customer (team_id, project_id, id)
  where invoice.customer_id = customer.id
    and (invoice.team_id, invoice.project_id) = (customer.team_id, customer.project_id) and not invoice.is_erased`;

/**
 * Erases the tax ids and order numbers on invoices of customers, by our ids, who are deleted: no event or read brings them back.
 * Runs before the customers are locked, whose locks come after those of invoices.
 */
export async function eraseInvoices(tx: EntityManager, customers: readonly ProjectObject[]): Promise<void> {
  if (customers.length === 0) return;
  const invoices = await invoiceRows.findNaming(tx, 'customerId', customers);
  await invoiceRows.lock(
    tx,
    invoices.map(({ recorded }) => recorded),
  );
  await executeBound(
    tx,
    `update invoices invoice
        set customer_tax_ids = '[]', purchase_order = null, is_erased = true, version = invoice.version + 1
       from ${OF_CUSTOMERS}`,
    keyColumns(customers),
  );
}

/**
 * Checks that all invoices of deleted customers are erased, once the customers are locked.
 * @throws Error when one was recorded meanwhile; then the deletion is to be handled again
 */
export async function requireErased(tx: EntityManager, customers: readonly ProjectObject[]): Promise<void> {
  if (customers.length === 0) return;
  const left = await executeBound(tx, `select 1 from invoices invoice, ${OF_CUSTOMERS} limit 1`, keyColumns(customers));
  if (left.length > 0) throw new Error('An invoice of a deleted customer was recorded meanwhile.');
}
