import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import { RECORD_COLUMNS, toResource, type RecordRow } from '#persistence/record-row.ts';

interface ListQuery extends Page {
  readonly status?: WebhookEventStatus | undefined;
  readonly type?: string | undefined;
}

/**
 * Lists the events of a project, newest first. Events without a project belong to the team: they are listed too if
 * `withUnrouted`, which is for the team's members only.
 */
export function listWebhookEvents(em: EntityManager) {
  return async ({ teamId, projectId }: ProjectScope, query: ListQuery, { withUnrouted }: { withUnrouted: boolean }) => {
    const { status = null, type = null, limit, offset } = query;
    const from = (place: string) => `from webhook_events e
      where e.team_id = ? and ${place} and (?::text is null or e.status = ?) and (?::text is null or e.type = ?)`;
    const filter = [status, status, type, type];
    // Each part is read in the order of an index; with one condition for both, all rows would be sorted for every page.
    const parts = [{ from: from('e.project_id = ?'), values: [teamId, projectId, ...filter] }];
    if (withUnrouted) parts.push({ from: from('e.project_id is null'), values: [teamId, ...filter] });
    const newest = parts.map(
      part => `(select ${RECORD_COLUMNS}, e.received_at ${part.from} order by e.received_at desc, e.id desc limit ?)`,
    );
    const counts = parts.map(part => `(select count(*)::int ${part.from})`);
    const [rows, [counted]] = await Promise.all([
      em
        .fork()
        .execute<RecordRow[]>(
          `select * from (${newest.join(' union all ')}) e order by received_at desc, id desc limit ? offset ?`,
          [...parts.flatMap(({ values }) => [...values, limit + offset]), limit, offset],
        ),
      em.fork().execute<{ total: number }[]>(
        `select ${counts.join(' + ')} as total`,
        parts.flatMap(({ values }) => values),
      ),
    ]);
    return {
      webhookEvents: rows.map(toResource),
      pagination: paginate({ limit, offset }, rows.length, counted?.total ?? 0),
    };
  };
}
