import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { Customer, isLinked } from '#persistence/customer.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['customers']['request']>;

/** Lists a page of a project's customers without deleted ones. */
export function listLiveCustomers(em: EntityManager) {
  return async ({ teamId, projectId, after, limit, processorIds }: Request) => {
    const rows = processorIds
      ? await em.fork().find(Customer, { teamId, projectId, processorCustomerId: { $in: processorIds } })
      : await findPage(em.fork(), Customer, { teamId, projectId }, { after, limit });
    const live = rows.filter(isLinked).filter(row => row.deletedAt === null);
    const records = live.map(row => ({ id: row.id, processorId: row.processorCustomerId }));
    return { records, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  };
}
