import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { lockCustomers } from '#rows/locks';
import type { CustomerCopy } from './customer-copy.entity.ts';

/** How an object of the processor refers to its customer. */
export interface CustomerReference {
  readonly scope: ProjectScope;
  readonly processorCustomerId: string;
  /** May name our customer. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Finds, for each reference in order, the project's customer in our copies; undefined without a copy. The processor's id
 * counts more than a name in the metadata. Of several customers that had the processor's id one after the other, it is the
 * one that is not deleted, or else the last one.
 *
 * In a transaction, no copy of these customers is saved until it ends: what is recorded for a customer here is seen by
 * whoever moves its records to the next one (`moveRecords`).
 */
export const findCustomers = async (
  em: EntityManager,
  references: readonly CustomerReference[],
): Promise<(CustomerId | undefined)[]> => (await findClockedCustomers(em, references)).map(it => it?.id);

/** A customer, and the test clock that it lives on. */
export type ClockedCustomer = Pick<CustomerCopy, 'id' | 'testClockId'>;

/** The same, with their test clocks. */
export async function findClockedCustomers(
  em: EntityManager,
  references: readonly CustomerReference[],
): Promise<(ClockedCustomer | undefined)[]> {
  if (references.length === 0) return [];
  if (em.isInTransaction()) await lockCustomers(em, references.map(toProcessorCustomer), { shared: true });
  const rows = await executeBound<ClockedCustomer | { readonly id: null }>(
    em,
    // Two look-ups by a key each: one condition with "or" reads all customers of the project.
    `select found.id, found.test_clock_id as "testClockId"
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
              as wanted (team_id, project_id, processor_customer_id, named, place)
       left join customer_copies found on found.id = coalesce(
              (select copy.id from customer_copies copy
                where copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
                  and copy.processor_customer_id = wanted.processor_customer_id
                order by copy.deleted_at is null desc, copy.created_at desc, copy.id desc
                limit 1),
              (select copy.id from customer_copies copy
                where copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
                  and copy.id = wanted.named))
      order by wanted.place`,
    [...keyColumns(references.map(toProcessorCustomer)), references.map(it => namedCustomer(it) ?? '')],
  );
  return rows.map(row => (row.id === null ? undefined : row));
}

/** A customer that was deleted at the processor. */
export interface DeletedCustomer extends ProjectObject {
  readonly deletedAt: Date;
}

/**
 * Notes that customers were deleted at the processor, in the caller's transaction, which then waits for those that have
 * just found them.
 */
export async function saveDeletions(tx: EntityManager, customers: readonly DeletedCustomer[]): Promise<void> {
  await lockCustomers(tx, customers);
  await executeBound(
    tx,
    `update customer_copies copy set processor_deleted_at = least(processor_deleted_at, deletion.at)
       from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as deletion (team_id, project_id, id, at)
      where copy.team_id = deletion.team_id and copy.project_id = deletion.project_id
        and copy.processor_customer_id = deletion.id`,
    [...keyColumns(customers), customers.map(({ deletedAt }) => deletedAt.toISOString())],
  );
}

/** A customer that got a discount at the processor. */
export interface DiscountedCustomer extends ProjectObject {
  readonly discountId: string;
}

/**
 * Notes discounts of customers, in the caller's transaction, which then waits for those that have just found them: a
 * subscription that is recorded later is read for what its customer's discount takes off.
 */
export async function saveDiscounted(tx: EntityManager, customers: readonly DiscountedCustomer[]): Promise<void> {
  await lockCustomers(tx, customers);
  await executeBound(
    tx,
    `update customer_copies copy set discount_id = discounted.discount_id
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as discounted (team_id, project_id, id, discount_id)
      where copy.team_id = discounted.team_id and copy.project_id = discounted.project_id
        and copy.processor_customer_id = discounted.id`,
    [...keyColumns(customers), customers.map(({ discountId }) => discountId)],
  );
}

/** Finds which customers of the processor may have a discount there, by `scopedKey`. */
export async function findDiscounted(
  em: EntityManager,
  customers: readonly ProjectObject[],
): Promise<ReadonlySet<string>> {
  if (customers.length === 0) return new Set();
  const rows = await executeBound<ProjectScope & { readonly id: string }>(
    em,
    `select copy.team_id as "teamId", copy.project_id as "projectId", copy.processor_customer_id as id
       from unnest($1::text[], $2::text[], $3::text[]) as wanted (team_id, project_id, id)
       join customer_copies copy on copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
        and copy.processor_customer_id = wanted.id
      where copy.discount_id is not null`,
    keyColumns(customers),
  );
  return new Set(rows.map(({ id, ...scope }) => scopedKey({ scope, id })));
}

/** Finds which customers of ours are deleted. */
export async function findDeletedCustomers(
  em: EntityManager,
  customers: readonly (ProjectObject & { readonly id: CustomerId })[],
): Promise<ReadonlySet<CustomerId>> {
  if (customers.length === 0) return new Set();
  const rows = await executeBound<{ readonly id: CustomerId }>(
    em,
    `select copy.id from customer_copies copy
       join unnest($1::text[], $2::text[], $3::text[]) as wanted (team_id, project_id, id)
         on copy.id = wanted.id and (copy.team_id, copy.project_id) = (wanted.team_id, wanted.project_id)
      where copy.deleted_at is not null`,
    keyColumns(customers),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Finds when customers of the processor were deleted there, by `scopedKey`. */
export async function findDeletions(
  tx: EntityManager,
  customers: readonly ProjectObject[],
): Promise<ReadonlyMap<string, Date>> {
  if (customers.length === 0) return new Map();
  const rows = await executeBound<{ place: number; ms: number }>(
    tx,
    `select place::int, (select date_part('epoch', min(copy.processor_deleted_at)) * 1000 from customer_copies copy
                          where copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
                            and copy.processor_customer_id = wanted.id) as ms
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as wanted (team_id, project_id, id, place)`,
    keyColumns(customers),
  );
  const deleted = rows.filter(({ ms }) => ms !== null);
  return new Map(
    deleted.flatMap(({ place, ms }) => {
      const customer = customers[place - 1];
      return customer ? [[scopedKey(customer), new Date(ms)] as const] : [];
    }),
  );
}

/** Returns the customer that the metadata names. */
export const namedCustomer = ({ metadata }: Pick<CustomerReference, 'metadata'>): CustomerId | undefined =>
  CustomerId.schema.safeParse(metadata['customerId']).data;

const toProcessorCustomer = ({ scope, processorCustomerId: id }: CustomerReference): ProjectObject => ({ scope, id });
