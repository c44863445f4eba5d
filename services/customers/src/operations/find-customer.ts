import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';

/**
 * A customer of the project.
 * @throws Problem 404 for one that is not there, is still being created, was deleted, or belongs to another project
 */
export async function findCustomer(em: EntityManager, scope: ProjectScope, id: CustomerId): Promise<LinkedCustomer> {
  const { teamId, projectId } = scope;
  const customer = await em.findOne(Customer, { id, teamId, projectId, deletedAt: null });
  if (!isLinked(customer)) throw notFound('customer');
  return customer;
}

/** The same, locked until the end of the transaction. */
export async function lockCustomer(tx: EntityManager, scope: ProjectScope, id: CustomerId): Promise<LinkedCustomer> {
  const customer = await lockCustomerRow(tx, scope, id);
  if (!isLinked(customer) || customer.deletedAt) throw notFound('customer');
  return customer;
}

/** A customer's row whatever has become of it, locked; null where the project has none. */
export function lockCustomerRow(tx: EntityManager, scope: ProjectScope, id: CustomerId): Promise<Customer | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Customer, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** The project's customer that is linked to the processor's one; null for none, or one that was deleted here. */
export async function findByProcessorId(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
): Promise<LinkedCustomer | null> {
  const customer = await em.findOne(Customer, { teamId, projectId, processorCustomerId, deletedAt: null });
  return isLinked(customer) ? customer : null;
}
