import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import type { customerFilter, customerIds, customerSearch } from '@billing/contracts/resources/customer';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { findOwner } from '#persistence/customer-identifiers.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';

type Filter = z.output<typeof customerFilter>;
interface Selection {
  readonly ids?: z.output<typeof customerIds>;
  readonly search?: z.output<typeof customerSearch>;
}

/** Lists a page of the project's customers, newest first. */
export function listCustomers({ em }: Pick<Dependencies, 'em'>) {
  return async (
    scope: ProjectScope,
    { email, externalId, ids, search, ...page }: Page & Filter & Selection,
  ): Promise<[LinkedCustomer[], Pagination]> => {
    const fork = em.fork();
    const owners = await findOwners(fork, scope, { email, externalId });
    const wanted = {
      ...(owners && { id: { $in: owners } }),
      ...(email && { email }),
      ...(externalId && { externalId }),
      ...(search && containing(search)),
      ...(ids && { $and: [{ id: { $in: ids } }] }),
    };
    return customers.list(fork, scope, page, wanted);
  };
}

/** Selects customers whose e-mail, name or external id contains the text, in any case. */
function containing(search: string) {
  const $ilike = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return { $or: [{ email: { $ilike } }, { name: { $ilike } }, { externalId: { $ilike } }] };
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
