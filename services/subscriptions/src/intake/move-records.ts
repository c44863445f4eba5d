import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import type { Source } from '@billing/service/save-record';
import { findCustomers } from '#copies/find-customers';
import { invoiceRows } from '#money/invoice-rows';
import type { ListedRow, ObjectRows } from '#rows/object-rows';
import { paymentRows } from '#money/payment-rows';
import { subscriptionRows } from '#record/subscription-rows';
import { saveSubscriptions } from '#record/save';
import { toState } from '#record/subscription.entity';
import { saveInvoices, savePayments } from '#money/save';
import { toState as toInvoice } from '#money/invoice.entity';
import { toResource as toPayment } from '#money/payment.entity';
import type { Dependencies } from '../dependencies.ts';

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
    const move = <Row extends MovedRow, State>(moved: Moved<Row, State>) =>
      outbox.transaction((tx, publish) => moveRows(tx, moved, { processorCustomer, former, publish, now: now() }));
    await move({
      rows: subscriptionRows,
      toBefore: toState,
      save: saveSubscriptions,
      // The metadata of another customer's subscription may have named this one.
      isOf: ({ processorCustomerId }) => processorCustomerId === processorCustomer.id,
    });
    await move({ rows: invoiceRows, toBefore: toInvoice, save: saveInvoices });
    await move({ rows: paymentRows, toBefore: toPayment, save: savePayments });
  };
}

interface MovedRow extends ListedRow {
  customerId: CustomerId | null;
}

/** One kind of record. */
interface Moved<Row extends MovedRow, State> {
  readonly rows: ObjectRows<Row>;
  /** What its writer compares a row with. */
  readonly toBefore: (row: Row) => State | null;
  readonly save: (
    tx: EntityManager,
    publish: Publish,
    saved: readonly { readonly row: Row; readonly before: State | null; readonly source: Source }[],
    now: Date,
  ) => Promise<void>;
  readonly isOf?: (row: Row) => boolean;
}

interface Move {
  readonly processorCustomer: ProjectObject;
  readonly former: readonly ProjectObject[];
  readonly publish: Publish;
  readonly now: Date;
}

async function moveRows<Row extends MovedRow, State>(
  tx: EntityManager,
  { rows, toBefore, save, isOf = () => true }: Moved<Row, State>,
  { processorCustomer, former, publish, now }: Move,
): Promise<void> {
  const objects = (await rows.findNaming(tx, 'customerId', former)).map(({ recorded }) => recorded);
  if (objects.length === 0) return;
  await rows.lock(tx, objects);
  const customerId = await findCurrent(tx, processorCustomer);
  if (customerId === undefined) return;
  const found = [...(await rows.find(tx, objects)).values()];
  const source = { at: now, cause: CAUSED_BY_SYSTEM };
  const moved = found
    .filter(row => row.customerId !== customerId && isOf(row))
    .map(row => {
      const before = toBefore(row);
      row.customerId = customerId;
      return { row, before, source };
    });
  await save(tx, publish, moved, now);
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
