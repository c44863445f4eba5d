import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookEventCounts } from '@billing/contracts/events/webhooks';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { numberColumn, textColumn } from './columns.ts';

/** The numbers of webhook events of a project. */
export type ProjectCounts = ProjectScope & WebhookEventCounts;

/** Saves numbers of projects, each once, in the caller's transaction; older than stored ones are ignored. */
export async function saveWebhookEventCounts(tx: EntityManager, counts: readonly ProjectCounts[]): Promise<void> {
  if (counts.length === 0) return;
  await executeBound(
    tx,
    `insert into webhook_event_counts as stored (team_id, project_id, total, processed, failed, version)
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     on conflict (team_id, project_id) do update
        set total = excluded.total, processed = excluded.processed, failed = excluded.failed, version = excluded.version
      where stored.version <= excluded.version`,
    [
      textColumn(counts, it => it.teamId),
      textColumn(counts, it => it.projectId),
      numberColumn(counts, it => it.total),
      numberColumn(counts, it => it.processed),
      numberColumn(counts, it => it.failed),
      numberColumn(counts, it => it.version),
    ],
  );
}

/** Reads how many webhook events a project has; zeros before the first. */
export async function readWebhookEventCounts(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
): Promise<Omit<WebhookEventCounts, 'version'>> {
  const [counts] = await executeBound<Omit<WebhookEventCounts, 'version'>>(
    em,
    `select total::float8, processed::float8, failed::float8 from webhook_event_counts
      where team_id = $1 and project_id = $2`,
    [teamId, projectId],
  );
  return counts ?? { total: 0, processed: 0, failed: 0 };
}
