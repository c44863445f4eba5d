import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import type { customerFilter, customerIds, customerSearch } from '@billing/contracts/resources/customer';
import { containing } from '@billing/database/containing';
import { createdWithin } from '@billing/database/find-newest';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { findOwner } from '#persistence/customer-identifiers.ts';
import { Customer, SEARCHED_COLUMNS, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';

type Filter = z.output<typeof customerFilter>;
interface Selection {
  readonly ids?: z.output<typeof customerIds>;
  readonly search?: z.output<typeof customerSearch>;
  readonly processorId?: string | undefined;
}

/** Lists a page of the project's customers. */
export function listCustomers({ em }: Pick<Dependencies, 'em'>) {
  return async (
    scope: ProjectScope,
    {
      email,
      externalId,
      ids,
      search,
      processorId,
      createdAfter,
      createdBefore,
      ...page
    }: Page & Filter & Selection & CreatedRange,
  ): Promise<[LinkedCustomer[], Pagination]> => {
    const fork = em.fork();
    const owners = await findOwners(fork, scope, { email, externalId });
    const wanted = {
      ...(owners && { id: { $in: owners } }),
      ...(email && { email }),
      ...(externalId && { externalId }),
      ...(search && containingText(search)),
      ...(ids && { $and: [{ id: { $in: ids } }] }),
      ...(processorId && { processorId }),
      createdAt: createdWithin({ createdAfter, createdBefore }),
    };
    return customers.list(fork, scope, page, wanted);
  };
}

/** As many as other services look into at once. */
const MAX_FOUND = 1_000;

/** Returns the ids of the newest of the project's customers that contain a text. */
export async function searchCustomers(em: EntityManager, scope: ProjectScope, search: string): Promise<CustomerId[]> {
  const where = { ...scope, processorId: { $ne: null }, deletedAt: null, ...containingText(search) };
  const options = { fields: ['id'], orderBy: { createdAt: 'desc', id: 'asc' }, limit: MAX_FOUND } as const;
  return (await em.find(Customer, where, options)).map(({ id }) => id);
}

/** Selects customers whose e-mail, name or external id contains the text, in any case. */
const containingText = (search: string) => ({ $or: SEARCHED_COLUMNS.map(column => containing(column, search)) });

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
