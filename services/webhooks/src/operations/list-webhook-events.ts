import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import { RECORD_COLUMNS, recordOf, type RecordRow } from '#persistence/record-row.ts';

interface ListQuery extends Page {
  readonly status?: WebhookEventStatus | undefined;
  readonly type?: string | undefined;
}

/**
 * The events of a project, newest first. Those that found no project belong to the team: they are listed too if
 * `withUnrouted`, which is for the team's members only.
 */
export function listWebhookEvents(em: EntityManager) {
  return async ({ teamId, projectId }: ProjectScope, query: ListQuery, { withUnrouted }: { withUnrouted: boolean }) => {
    const { status = null, type = null, limit, offset } = query;
    const from = `from webhook_events e
      where e.team_id = ? and (e.project_id = ? or (? and e.project_id is null))
        and (?::text is null or e.status = ?) and (?::text is null or e.type = ?)`;
    const filter = [teamId, projectId, withUnrouted, status, status, type, type];
    const [rows, [counted]] = await Promise.all([
      em
        .fork()
        .execute<RecordRow[]>(`select ${RECORD_COLUMNS} ${from} order by e.received_at desc, e.id limit ? offset ?`, [
          ...filter,
          limit,
          offset,
        ]),
      em.fork().execute<{ total: number }[]>(`select count(*)::int as total ${from}`, filter),
    ]);
    return {
      webhookEvents: rows.map(recordOf),
      pagination: paginate({ limit, offset }, rows.length, counted?.total ?? 0),
    };
  };
}
