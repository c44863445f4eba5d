import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { findPart } from '@billing/service/find-part';
import type { z } from 'zod';
import { stateOf } from '#domain/customer.ts';
import { Customer, isLinked } from '#persistence/customer.entity.ts';

type Asked = z.output<typeof ListCustomerStates.request>;

/** A part of a project's customers, the deleted ones too; those still being created are left out. */
export function listCustomerStates(em: EntityManager) {
  return async ({ after, limit, ...scope }: Asked) => {
    const customers = await findPart(em.fork(), Customer, scope, { after, limit });
    const records = customers.filter(isLinked).map(it => ({ recordedAt: it.updatedAt, state: stateOf(it) }));
    return { records, next: customers.length < limit ? null : (customers.at(-1)?.id ?? null) };
  };
}
