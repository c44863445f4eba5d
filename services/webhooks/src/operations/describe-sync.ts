import type { EntityManager } from '@mikro-orm/postgresql';
import type { Sync as SyncResource } from '@billing/contracts/resources/sync';
import { isRead } from '#domain/sync-stage.ts';
import type { Sync } from '#persistence/sync.entity.ts';
import { countObjects } from '#sync/complete-sync.ts';

/** Returns a sync as callers see it; what one that goes on has decided so far is counted. */
export async function describeSync(em: EntityManager, sync: Sync): Promise<SyncResource> {
  const { id, projectId, mode, status, types, filter, markAtProcessor, nightly, error } = sync;
  const counts = sync.counts ?? (await countObjects(em, sync));
  const progress: SyncResource['progress'] = {};
  for (const type of types) {
    const { applied: _applied, extra: _extra, ...read } = { applied: 0, extra: 0, ...counts[type] };
    const sum = Object.values(read).reduce((total, count) => total + count, 0);
    progress[type] = { read: sum, total: status === 'completed' || isRead(sync, sync, type) ? sum : null };
  }
  const { createdAt, startedAt, finishedAt } = sync;
  return {
    id,
    projectId,
    mode,
    status,
    types,
    filter: { metadata: { ...filter.metadata }, includeUnmarked: filter.includeUnmarked },
    markAtProcessor,
    nightly,
    progress,
    counts,
    error,
    createdAt,
    startedAt,
    finishedAt,
  };
}
