import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { Customer, isLinked, type LinkedCustomer } from './customer.entity.ts';
import { keyOf, selectInProjects, type InProject } from './in-project.ts';

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

/** Finds the customers that are linked to the given ones of the processor, without those deleted here, by `keyOf`. */
export async function findByProcessorIds(
  em: EntityManager,
  ids: readonly InProject[],
): Promise<Map<string, LinkedCustomer>> {
  return byKey(await liveByProcessorIds(em, ids).getResultList());
}

/** The same as `findByProcessorIds`, locked until the end of the transaction. */
export async function lockByProcessorIds(
  tx: EntityManager,
  ids: readonly InProject[],
): Promise<Map<string, LinkedCustomer>> {
  const query = liveByProcessorIds(tx, ids).orderBy({ id: 'asc' });
  return byKey(await query.setLockMode(LockMode.PESSIMISTIC_WRITE).getResultList());
}

/** Returns those of our customer ids, by `keyOf`, under which a customer is being created. */
export async function findReservedIds(em: EntityManager, ids: readonly InProject[]): Promise<ReadonlySet<string>> {
  const query = selectInProjects(em, Customer, 'id', ids).andWhere({ processorCustomerId: null });
  // Not as entities: a customer that is created now is read again with its processor id.
  const rows = await query.execute<Pick<Customer, 'teamId' | 'projectId' | 'id'>[]>('all');
  return new Set(rows.map(({ id, ...scope }) => keyOf({ ...scope, value: id })));
}

const liveByProcessorIds = (em: EntityManager, ids: readonly InProject[]) =>
  selectInProjects(em, Customer, 'processor_customer_id', ids).andWhere({ deletedAt: null });

const byKey = (customers: readonly Customer[]): Map<string, LinkedCustomer> =>
  new Map(
    customers.filter(isLinked).map(customer => {
      const { teamId, projectId, processorCustomerId: value } = customer;
      return [keyOf({ teamId, projectId, value }), customer];
    }),
  );
