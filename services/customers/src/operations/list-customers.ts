import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import type { customerFilter } from '@billing/contracts/resources/customer';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { findOwner } from '#persistence/customer-identifiers.ts';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';
import type { Dependencies } from '../dependencies.ts';

type Filter = z.output<typeof customerFilter>;

/** Lists a page of the project's customers, newest first, and returns how many there are in all. */
export function listCustomers({ em }: Pick<Dependencies, 'em'>) {
  return async (
    scope: ProjectScope,
    { limit, offset, email, externalId }: Page & Filter,
  ): Promise<[LinkedCustomer[], number]> => {
    const fork = em.fork();
    const ids = await findOwners(fork, scope, { email, externalId });
    const wanted = { ...(ids && { id: { $in: ids } }), ...(email && { email }), ...(externalId && { externalId }) };
    const { teamId, projectId } = scope;
    const [customers, total] = await fork.findAndCount(
      Customer,
      { teamId, projectId, processorCustomerId: { $ne: null }, deletedAt: null, ...wanted },
      { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
    );
    return [customers.filter(isLinked), total];
  };
}

/** Returns who has, or is about to have, what the filter names; undefined without a filter. */
async function findOwners(
  em: EntityManager,
  scope: ProjectScope,
  { email, externalId }: Filter,
): Promise<CustomerId[] | undefined> {
  const kind = email === undefined ? 'external-id' : 'email';
  const value = email ?? externalId;
  if (value === undefined) return undefined;
  const owner = await findOwner(em, scope, { kind, value });
  return owner === null ? [] : [owner];
}
