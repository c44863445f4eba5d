import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import type { syncCreate } from '@billing/contracts/resources/sync';
import type { z } from 'zod';
import type { Team, WebhooksService } from './start-webhooks.ts';

export type SyncCreate = z.input<typeof syncCreate>;

/** How the processor's ids of each type start. */
const PREFIXES = {
  product: 'prod_',
  price: 'price_',
  coupon: 'coupon_',
  customer: 'cus_',
  promotion_code: 'promo_',
  subscription: 'sub_',
  invoice: 'in_',
  payment: 'ch_',
};

/**
 * Serves the comparisons of syncs in place of the owning services: an object differs from a record in nothing. A record is made
 * and deleted by the test.
 */
export async function serveOwners(service: Pick<WebhooksService, 'serve'>) {
  const records = new Set<string>();
  const keyOf = ({ projectId }: Pick<Team, 'projectId'>, id: string) => `${projectId} ${id}`;
  for (const owner of ['catalog', 'customers', 'subscriptions'] as const) {
    await service.serve(CompareObjects[owner], async ({ projectId, objects }) =>
      objects.map(({ id, deleted }) => {
        const isRecorded = records.has(keyOf({ projectId }, id));
        const outcome = deleted === true ? (isRecorded ? 'extra' : 'same') : isRecorded ? 'same' : 'missing';
        const isHeldElsewhere = [...records].some(key => key.endsWith(` ${id}`) && key !== keyOf({ projectId }, id));
        const recordId = isRecorded ? `record_of_${id}` : null;
        return { outcome, id: recordId, fields: [], hasParent: true, isHeldElsewhere } as const;
      }),
    );
    await service.serve(ListLiveRecords[owner], async ({ projectId, type }) => ({
      records: [...records]
        .filter(key => key.startsWith(`${projectId} ${PREFIXES[type]}`))
        .map(key => key.slice(projectId.length + 1))
        .map(processorId => ({ id: `record_of_${processorId}`, processorId })),
      next: null,
    }));
  }
  return {
    record: (team: Team, processorId: string) => void records.add(keyOf(team, processorId)),
    delete: (team: Team, processorId: string) => void records.delete(keyOf(team, processorId)),
  };
}

export type Owner = Awaited<ReturnType<typeof serveOwners>>;
