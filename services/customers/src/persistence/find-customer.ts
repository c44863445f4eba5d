import { LockMode, type EntityManager, type FindOptions } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { Customer, isLinked, type LinkedCustomer } from './customer.entity.ts';

/**
 * Finds a customer of the project.
 * @throws Problem 404 for one that does not exist, is still being created, was deleted, or belongs to another project
 */
export async function findCustomer(em: EntityManager, scope: ProjectScope, id: CustomerId): Promise<LinkedCustomer> {
  const customer = await findCreatedCustomer(em, scope, id);
  if (!customer) throw notFound('customer');
  return customer;
}

/**
 * Finds a customer that an earlier request may have created; null when there is none yet.
 * @throws Problem 404 for one that was deleted since
 */
export async function findCreatedCustomer(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: CustomerId,
): Promise<LinkedCustomer | null> {
  const customer = await em.findOne(Customer, { id, teamId, projectId });
  if (!isLinked(customer)) return null;
  if (customer.deletedAt) throw notFound('customer');
  return customer;
}

/** The same as `findCustomer`, locked until the end of the transaction. */
export async function lockCustomer(tx: EntityManager, scope: ProjectScope, id: CustomerId): Promise<LinkedCustomer> {
  const customer = await lockCustomerRow(tx, scope, id);
  if (!isLinked(customer) || customer.deletedAt) throw notFound('customer');
  return customer;
}

/** Locks a customer's row, also of a reserved or deleted one; null when the project has no such row. */
export function lockCustomerRow(tx: EntityManager, scope: ProjectScope, id: CustomerId): Promise<Customer | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Customer, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Finds the customers that are linked to the given ones of the processor, without deleted ones, by `scopedKey`. */
export async function findByProcessorIds(
  em: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, LinkedCustomer>> {
  return byKey(await findLive(em, ids));
}

/** The same as `findByProcessorIds`, locked until the end of the transaction. */
export async function lockByProcessorIds(
  tx: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, LinkedCustomer>> {
  return byKey(await findLive(tx, ids, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE }));
}

/** Finds deleted customers that were linked to the given ones of the processor, locked, by `scopedKey`. */
export async function lockDeletedByProcessorIds(
  tx: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, LinkedCustomer[]>> {
  if (ids.length === 0) return new Map();
  const where = { ...inProjects('processorCustomerId', ids), deletedAt: { $ne: null } };
  const found = await tx.find(Customer, where, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });
  return Map.groupBy(found.filter(isLinked), it => scopedKey({ scope: it, id: it.processorCustomerId }));
}

/** Returns those of our customer ids, by `scopedKey`, under which a customer is being created. */
export async function findReservedIds(
  em: EntityManager,
  ids: readonly ProjectObject<CustomerId>[],
): Promise<ReadonlySet<string>> {
  // Outside of the identity map: a customer that is created now is read again with its processor id.
  const where = { ...inProjects('id', ids), processorCustomerId: null };
  const rows = await em.find(Customer, where, { disableIdentityMap: true });
  return new Set(rows.map(row => scopedKey({ scope: row, id: row.id })));
}

const findLive = (em: EntityManager, ids: readonly ProjectObject[], options: FindOptions<Customer> = {}) =>
  em.find(Customer, { ...inProjects('processorCustomerId', ids), deletedAt: null }, options);

const byKey = (customers: readonly Customer[]): Map<string, LinkedCustomer> =>
  new Map(
    customers.filter(isLinked).map(customer => {
      return [scopedKey({ scope: customer, id: customer.processorCustomerId }), customer];
    }),
  );
