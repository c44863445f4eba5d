import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { isMirrored } from '@billing/service/mirrored-rows';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { Customer } from '#persistence/customer.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['customers']['request']>;

/** Lists a page of a project's customers without deleted ones. */
export function listLiveCustomers(em: EntityManager) {
  return async ({ teamId, projectId, after, limit, processorIds }: Request) => {
    const rows = processorIds
      ? await em.fork().find(Customer, { teamId, projectId, processorId: { $in: processorIds } })
      : await findPage(em.fork(), Customer, { teamId, projectId }, { after, limit });
    const live = rows.filter(isMirrored).filter(row => row.deletedAt === null);
    const records = live.map(row => ({ id: row.id, processorId: row.processorId }));
    return { records, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  };
}
