import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { findCustomers } from '#persistence/find-customers.ts';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import type { ListedRow, ObjectRows } from '#persistence/object-rows.ts';
import { paymentRows } from '#persistence/payment-rows.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Dependencies } from '../dependencies.ts';
import { publishChange } from './save-subscriptions.ts';
import { told, type Teller } from './tell-tenants.ts';

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
    const move = <Row extends MovedRow>(moved: Moved<Row>) =>
      outbox.transaction((tx, publish) => moveRows(tx, moved, { processorCustomer, former, publish, now: now() }));
    await move({
      rows: subscriptionRows,
      teller: told.subscription,
      // The metadata of another customer's subscription may have named this one.
      isOf: ({ processorCustomerId }) => processorCustomerId === processorCustomer.id,
      publishMoved: publishChange,
    });
    await move({ rows: invoiceRows, teller: told.invoice });
    await move({ rows: paymentRows, teller: told.payment });
  };
}

interface MovedRow extends ListedRow {
  customerId: CustomerId | null;
}

/** One kind of record. */
interface Moved<Row extends MovedRow> {
  readonly rows: ObjectRows<Row>;
  readonly teller: Teller<Row>;
  readonly isOf?: (row: Row) => boolean;
  readonly publishMoved?: (publish: Publish, row: Row) => void;
}

interface Move {
  readonly processorCustomer: ProjectObject;
  readonly former: readonly ProjectObject[];
  readonly publish: Publish;
  readonly now: Date;
}

async function moveRows<Row extends MovedRow>(
  tx: EntityManager,
  { rows, teller, isOf = () => true, publishMoved }: Moved<Row>,
  { processorCustomer, former, publish, now }: Move,
): Promise<void> {
  const objects = (await rows.findNaming(tx, 'customerId', former)).map(({ recorded }) => recorded);
  if (objects.length === 0) return;
  await rows.lock(tx, objects);
  const customerId = await findCurrent(tx, processorCustomer);
  if (customerId === undefined) return;
  const found = [...(await rows.find(tx, objects)).values()];
  const moved = found.filter(row => row.customerId !== customerId && isOf(row));
  for (const row of moved) {
    const before = teller.toJson(row);
    row.customerId = customerId;
    publishMoved?.(publish, row);
    teller.tell(publish, row, { before, now, at: now, cause: CAUSED_BY_SYSTEM });
  }
  await rows.save(tx, moved);
}

/** Returns the customers that were linked to a customer of the processor before the one that is now. */
async function findFormer(em: EntityManager, processorCustomer: ProjectObject): Promise<ProjectObject[]> {
  const current = await findCurrent(em, processorCustomer);
  const { scope, id } = processorCustomer;
  const rows = await executeBound<{ id: string }>(
    em,
    `select id from customer_copies
      where team_id = $1 and project_id = $2 and processor_customer_id = $3 and id <> $4`,
    [scope.teamId, scope.projectId, id, current ?? ''],
  );
  return rows.map(row => ({ scope, id: row.id }));
}

const findCurrent = async (
  em: EntityManager,
  { scope, id: processorCustomerId }: ProjectObject,
): Promise<CustomerId | undefined> => (await findCustomers(em, [{ scope, processorCustomerId, metadata: {} }]))[0];
