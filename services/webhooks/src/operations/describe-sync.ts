import type { EntityManager } from '@mikro-orm/postgresql';
import type { Sync as SyncResource } from '@billing/contracts/resources/sync';
import type { Sync } from '#persistence/sync.entity.ts';
import { countOutcomes } from '#sync/end-sync.ts';

/** Returns a sync as callers see it; what one that goes on has decided so far is counted. */
export async function describeSync(em: EntityManager, sync: Sync): Promise<SyncResource> {
  const { id, projectId, mode, status, types, filter, markAtProcessor, nightly, progress, error } = sync;
  const counts = sync.counts ?? (await countOutcomes(em, id));
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
