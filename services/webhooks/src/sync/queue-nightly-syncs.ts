import type { EntityManager } from '@mikro-orm/postgresql';
import { SyncId, type ProjectScope } from '@billing/contracts/ids';
import { SYNC_TYPES } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { SyncFilter } from './sync-decision.rules.ts';
import { firstStage } from './sync-stage.rules.ts';
import { queueSync } from './start-and-cancel-syncs.ts';

/** The hours of the night, in UTC: a report of each team starts in one of them. */
const FROM_HOUR = 1;
const HOURS = 4;
/** Teams of one look. */
const LIMIT = 100;

/** Without a sync before, only objects that name the project, and those with a record, are its own. */
const OWN_ONLY: SyncFilter = { metadata: {}, includeUnmarked: false };

/**
 * Queues the report of the night for projects of connected teams that have customers, each once a night, of each team one
 * after the other. It looks at what the project's last apply looked at. A team that was connected since the night began has
 * its first report in the next one. Two copies of the service queue none twice.
 */
export async function queueNightlySyncs(em: EntityManager, now: Date): Promise<number> {
  const night = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), FROM_HOUR));
  const elapsed = (now.getTime() - night.getTime()) / (HOURS * 3_600_000);
  if (elapsed < 0) return 0;
  const due = await executeBound<ProjectScope & { filter: SyncFilter | null }>(
    em.fork(),
    `select distinct on (p.team_id) p.team_id as "teamId", p.project_id as "projectId",
            (select s.filter from syncs s
              where s.team_id = p.team_id and s.project_id = p.project_id and s.mode = 'apply' and s.kind = 'account'
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
  const queued = await Promise.all(
    due.map(({ filter, ...scope }) =>
      queueSync(em.fork(), {
        id: SyncId.create(),
        ...scope,
        kind: 'account',
        mode: 'report',
        types: [...SYNC_TYPES],
        filter: filter ?? OWN_ONLY,
        markAtProcessor: false,
        nightly: true,
        ...firstStage({ types: SYNC_TYPES }),
      }),
    ),
  );
  return queued.filter(Boolean).length;
}
