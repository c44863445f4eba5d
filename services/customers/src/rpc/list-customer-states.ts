import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { isMirrored } from '@billing/service/mirrored-rows';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { toState } from '#domain/customer.ts';
import { Customer } from '#persistence/customer.entity.ts';

type Request = z.output<typeof ListCustomerStates.request>;

/** Lists a page of a project's customers, also the deleted ones; those still being created are left out. */
export function listCustomerStates(em: EntityManager) {
  return async ({ after, limit, ...scope }: Request) => {
    const customers = await findPage(em.fork(), Customer, scope, { after, limit });
    const records = customers
      .filter(isMirrored)
      .map(customer => ({ recordedAt: customer.updatedAt, state: toState(customer) }));
    return { records, next: customers.length < limit ? null : (customers.at(-1)?.id ?? null) };
  };
}
