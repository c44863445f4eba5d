import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import { toLiveRecords } from '@billing/processor/compare-records';
import type { z } from 'zod';
import { Customer } from '#persistence/customer.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['customers']['request']>;

/** Lists a page of a project's customers without deleted ones. */
export function listLiveCustomers(em: EntityManager) {
  return async ({ teamId, projectId, after, limit }: Request) => {
    const rows = await findPage(em.fork(), Customer, { teamId, projectId }, { after, limit });
    return toLiveRecords(rows, limit, row => (row.deletedAt ? null : row.processorId));
  };
}
