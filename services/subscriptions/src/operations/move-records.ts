import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import { inTransaction } from '@billing/database/transaction';
import { findCustomers } from '#persistence/find-customers.ts';
import { lockAll } from '#persistence/locks.ts';
import { subscriptionRows, toProjectObject } from '#persistence/subscription-rows.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { publishChange } from './save-subscriptions.ts';

/**
 * Gives the customer that is linked to a customer of the processor the subscriptions, invoices and payments of deleted ones
 * that were linked to it before. Events that come from then on find the new customer by themselves (`findCustomers`).
 *
 * It runs when the copy of the new customer has been committed; each kind of record in a transaction of its own, because
 * each has its own order of locks. It may run any number of times.
 */
export function moveRecords({ em, outbox, now }: Pick<Dependencies, 'em' | 'outbox' | 'now'>) {
  return async (processorCustomer: ProjectObject): Promise<void> => {
    const former = await findFormer(em.fork(), processorCustomer);
    if (former.length === 0) return;
    await outbox.transaction(async (tx, publish) => {
      const { scope, id: processorCustomerId } = processorCustomer;
      const found = await tx.find(
        Subscription,
        { teamId: scope.teamId, projectId: scope.projectId, processorCustomerId, customerId: { $in: former } },
        { disableIdentityMap: true },
      );
      const subscriptions = found.map(toProjectObject);
      await lockAll(tx, 'subscription', subscriptions);
      const customerId = await findCurrent(tx, processorCustomer);
      const rows = [...(await subscriptionRows.find(tx, subscriptions)).values()].filter(
        row => customerId !== undefined && row.customerId !== customerId,
      );
      for (const row of rows) {
        row.customerId = customerId ?? row.customerId;
        publishChange(publish, row, { now: now() });
      }
      await subscriptionRows.save(tx, rows);
    });
    for (const table of ['invoice', 'payment'] as const)
      await inTransaction(em, tx => moveRows(tx, table, processorCustomer, former));
  };
}

const TABLES = {
  invoice: { name: 'invoices', processorId: 'processor_invoice_id' },
  payment: { name: 'payments', processorId: 'processor_id' },
} as const;

async function moveRows(
  tx: EntityManager,
  kind: keyof typeof TABLES,
  processorCustomer: ProjectObject,
  former: readonly CustomerId[],
): Promise<void> {
  const { scope } = processorCustomer;
  const { name, processorId } = TABLES[kind];
  const where = 'team_id = $1 and project_id = $2 and customer_id = any($3)';
  const values = [scope.teamId, scope.projectId, [...former]];
  const rows = await executeBound<{ id: string }>(
    tx,
    `select ${processorId} as id from ${name} where ${where}`,
    values,
  );
  await lockAll(
    tx,
    kind,
    rows.map(({ id }) => ({ scope, id })),
  );
  const customerId = await findCurrent(tx, processorCustomer);
  if (customerId === undefined) return;
  await executeBound(
    tx,
    `update ${name} set customer_id = $4, updated_at = clock_timestamp()
      where ${where} and customer_id <> $4 and ${processorId} = any($5)`,
    [...values, customerId, rows.map(({ id }) => id)],
  );
}

/** Returns the customers that were linked to a customer of the processor before the one that is now. */
async function findFormer(em: EntityManager, processorCustomer: ProjectObject): Promise<CustomerId[]> {
  const current = await findCurrent(em, processorCustomer);
  const { scope, id } = processorCustomer;
  const rows = await executeBound<{ id: CustomerId }>(
    em,
    `select id from customer_copies
      where team_id = $1 and project_id = $2 and processor_customer_id = $3 and id <> $4`,
    [scope.teamId, scope.projectId, id, current ?? ''],
  );
  return rows.map(row => row.id);
}

const findCurrent = async (
  em: EntityManager,
  { scope, id: processorCustomerId }: ProjectObject,
): Promise<CustomerId | undefined> => (await findCustomers(em, [{ scope, processorCustomerId, metadata: {} }]))[0];
