import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { KnownPrice } from '#persistence/known-catalog.entity.ts';
import { lockShared } from '#persistence/locks.ts';
import type { PriceIds } from './keep-subscription.ts';

/**
 * Our ids of the processor's prices, deleted ones too; a price made outside of this service may have none.
 *
 * An unknown price is locked until the transaction ends: were it to become known meanwhile, whoever keeps it would
 * miss the subscription that is not committed yet, and the two would never meet.
 */
export async function findPriceIds(
  tx: EntityManager,
  scope: ProjectScope,
  processorPriceIds: readonly string[],
): Promise<PriceIds> {
  const wanted = [...new Set(processorPriceIds)].toSorted();
  const known = await select(tx, scope, wanted);
  const unknown = wanted.filter(id => !known.has(id));
  if (unknown.length === 0) return known;
  for (const id of unknown) await lockShared(tx, scope, 'price', id);
  return new Map([...known, ...(await select(tx, scope, unknown))]);
}

async function select(tx: EntityManager, { teamId, projectId }: ProjectScope, ids: readonly string[]) {
  const rows = await tx.find(
    KnownPrice,
    { teamId, projectId, processorPriceId: { $in: [...ids] } },
    // Of two with one id of the processor the last counts: the one that is not deleted, for nulls come last.
    { fields: ['id', 'processorPriceId'], orderBy: [{ deletedAt: 'asc' }, { id: 'asc' }] },
  );
  return new Map<string, PriceId>(rows.map(row => [row.processorPriceId, row.id]));
}
