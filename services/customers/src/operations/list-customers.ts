import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';

/** A page of the project's customers, newest first, and how many there are in all. */
export async function listCustomers(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { limit, offset }: Page,
): Promise<[LinkedCustomer[], number]> {
  const [customers, total] = await em.findAndCount(
    Customer,
    { teamId, projectId, processorCustomerId: { $ne: null }, deletedAt: null },
    { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
  );
  return [customers.filter(isLinked), total];
}
