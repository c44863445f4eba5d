import type { EntityManager } from '@mikro-orm/postgresql';
import { SyncId, type ProjectId, type TeamId } from '@billing/contracts/ids';
import { SYNC_TYPES } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { startLeaseLoop } from '@billing/database/lease-loop';
import type { Logger } from 'pino';
import type { SyncFilter } from '#domain/sync-decision.ts';
import { firstStage } from '#domain/sync-stage.ts';

/** The hours of the night, in UTC: a report of each team starts in one of them. */
const FROM_HOUR = 1;
const HOURS = 4;
/** Teams of one look. */
const LIMIT = 100;

/** How often to look, in milliseconds. */
const INTERVAL_MS = 60_000;

interface DueProject {
  readonly team_id: TeamId;
  readonly project_id: ProjectId;
  readonly filter: SyncFilter | null;
}

/** Without a sync before, only objects that name the project, and those with a record, are its own. */
const OWN_ONLY: SyncFilter = { metadata: {}, includeUnmarked: false };

interface NightlyParts {
  readonly em: EntityManager;
  readonly onQueued: () => void;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Queues the reports of each night until stopped. */
export function startNightlySyncs({ em, onQueued, now, logger }: NightlyParts): () => Promise<void> {
  const queue = async () => {
    if ((await queueNightlySyncs(em, now())) > 0) onQueued();
    return [];
  };
  const work = async () => undefined;
  return startLeaseLoop({ name: 'nightly-syncs', batchSize: 1, lease: queue, work, intervalMs: INTERVAL_MS, logger })
    .stop;
}

/**
 * Queues the report of the night for projects of connected teams that have customers, each once a night, of each team one
 * after the other. It looks at what the project's last apply looked at. A team that was connected since the night began has
 * its first report in the next one. Two copies of the service queue none twice.
 */
export async function queueNightlySyncs(em: EntityManager, now: Date): Promise<number> {
  const night = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), FROM_HOUR));
  const elapsed = (now.getTime() - night.getTime()) / (HOURS * 3_600_000);
  if (elapsed < 0) return 0;
  const due = await executeBound<DueProject>(
    em.fork(),
    `select distinct on (p.team_id) p.team_id, p.project_id,
            (select s.filter from syncs s
              where s.team_id = p.team_id and s.project_id = p.project_id and s.mode = 'apply'
              order by s.created_at desc limit 1) as filter
       from project_copies p
       join processor_accounts a on a.team_id = p.team_id and a.sealed_secret_key is not null and a.connected_at < $1
      where abs(hashtext(p.team_id) % 1000) <= $2::float8 * 1000
        and exists (select from routes r
                     where r.team_id = p.team_id and r.kind = 'customer' and r.project_id = p.project_id)
        and not exists (select from syncs s
                         where s.team_id = p.team_id and s.project_id = p.project_id and s.nightly and s.created_at >= $1)
        and not exists (select from syncs s where s.team_id = p.team_id and s.status in ('queued', 'running'))
      order by p.team_id, p.project_id limit ${LIMIT}`,
    [night, Math.min(elapsed, 1)],
  );
  let queued = 0;
  for (const { team_id: teamId, project_id: projectId, filter } of due)
    queued += await insertNightly(em, { teamId, projectId, filter: filter ?? OWN_ONLY });
  return queued;
}

async function insertNightly(
  em: EntityManager,
  { teamId, projectId, filter }: { teamId: TeamId; projectId: ProjectId; filter: SyncFilter },
): Promise<number> {
  const { type, phase } = firstStage({ types: SYNC_TYPES });
  const inserted = await executeBound(
    em.fork(),
    `insert into syncs (id, team_id, project_id, mode, status, types, filter, mark_at_processor, nightly, type, phase,
                        progress, created_at, due_at, failures)
     values ($1, $2, $3, 'report', 'queued', $4::text[], $5::jsonb, false, true, $6, $7, '{}', now(), now(), 0)
     on conflict (team_id) where status in ('queued', 'running') do nothing returning 1`,
    [SyncId.create(), teamId, projectId, SYNC_TYPES, JSON.stringify(filter), type, phase],
  );
  return inserted.length;
}
