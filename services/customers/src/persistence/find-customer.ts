import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
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

/** Finds the project's customer that is linked to one of the processor; null for none, or one that was deleted here. */
export async function findByProcessorId(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
): Promise<LinkedCustomer | null> {
  const customer = await em.findOne(Customer, { teamId, projectId, processorCustomerId, deletedAt: null });
  return isLinked(customer) ? customer : null;
}
