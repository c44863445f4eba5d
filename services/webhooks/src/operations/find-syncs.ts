import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, SyncId } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import type { FindingOutcome, SyncFinding, SyncType } from '@billing/contracts/resources/sync';
import { SyncObject } from '#persistence/sync-object.entity.ts';
import { Sync } from '#persistence/sync.entity.ts';
import { describeSync } from './describe-sync.ts';

/**
 * Finds a sync of the project.
 * @throws Problem 404
 */
export async function findSync(em: EntityManager, { teamId, projectId }: ProjectScope, id: SyncId): Promise<Sync> {
  const sync = await em.findOne(Sync, { id, teamId, projectId });
  if (!sync) throw notFound('sync');
  return sync;
}

/** Lists a project's syncs, newest first. */
export async function listSyncs(em: EntityManager, { teamId, projectId }: ProjectScope, { limit, offset }: Page) {
  const fork = em.fork();
  const orderBy = { createdAt: 'desc', id: 'desc' } as const;
  const [rows, total] = await fork.findAndCount(Sync, { teamId, projectId }, { orderBy, limit, offset });
  const syncs = await Promise.all(rows.map(row => describeSync(fork, row)));
  return { syncs, pagination: paginate({ limit, offset }, syncs.length, total) };
}

interface FindingQuery extends Page {
  readonly type?: SyncType | undefined;
  readonly outcome?: FindingOutcome | undefined;
}

/** Lists what a sync has found, by type and Stripe's id. What still may be on its way is left out. */
export async function listFindings(
  em: EntityManager,
  { teamId, projectId, id: syncId }: Pick<Sync, 'teamId' | 'projectId' | 'id'>,
  { type, outcome, limit, offset }: FindingQuery,
) {
  const where = {
    syncId,
    teamId,
    projectId,
    state: { $ne: 'suspect' as const },
    outcome: outcome ?? { $ne: 'same' as const },
    ...(type && { type }),
  };
  const [rows, total] = await em
    .fork()
    .findAndCount(SyncObject, where, { orderBy: { type: 'asc', processorId: 'asc' }, limit, offset });
  return { findings: rows.map(toFinding), pagination: paginate({ limit, offset }, rows.length, total) };
}

function toFinding({ type, processorId, recordId: id, outcome, fields, reason, applied }: SyncObject): SyncFinding {
  if (outcome === 'same') throw new Error('An object without a difference is no finding.');
  return { type, processorId, id, outcome, fields, reason, applied };
}
