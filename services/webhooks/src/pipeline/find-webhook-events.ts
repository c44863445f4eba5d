import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { MAX_COUNTED, skipped, toPage, type Page } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import { executeBound } from '@billing/database/bound-statement';
import { markList, placeBefore, timeText } from '@billing/database/cursors';
import { RECORD_COLUMNS, toResource, type RecordRow } from './records.ts';
import { findProjects } from './route-rows.ts';

interface ListQuery extends Page {
  readonly status?: WebhookEventStatus | undefined;
  readonly type?: string | undefined;
  readonly objectId?: string | undefined;
}

/** Lists a team's events of the given projects, newest first; null stands for events without a project. */
export async function listWebhookEvents(
  em: EntityManager,
  teamId: TeamId,
  projectIds: readonly (ProjectId | null)[],
  query: ListQuery,
) {
  const { status = null, type = null, objectId, limit } = query;
  const start = skipped(query);
  const list = markList(query, 'webhook_events', { teamId, projectId: projectIds.length === 1 ? projectIds[0] : null });
  const place = placeBefore(query);
  const following = place ? ' and (e.received_at, e.id) < (?::timestamptz, ?)' : '';
  const placed = place ? [place.at, place.id] : [];
  // An object has few events, which its index finds; a condition for both cases would use none.
  const ofObject = objectId === undefined ? '' : ' and e.object_id = ?';
  const from = (ofProject: string) => `from webhook_events e
      where e.team_id = ? and ${ofProject} and e.sync_id is null and (?::text is null or e.status = ?) and (?::text is null or e.type = ?)${ofObject}`;
  const filter = [status, status, type, type, ...(objectId === undefined ? [] : [objectId])];
  // Each part is read in the order of an index, whose whole order must be named for rows without a project; with one
  // condition for both, all rows would be sorted for every page.
  const parts = projectIds.map(id =>
    id === null
      ? { from: from('e.project_id is null'), values: [teamId, ...filter] }
      : { from: from('e.project_id = ?'), values: [teamId, id, ...filter] },
  );
  const newest = parts.map(
    part =>
      `(select ${RECORD_COLUMNS}, e.received_at ${part.from}${following} order by e.project_id desc, e.received_at desc, e.id desc limit ?)`,
  );
  const counts = parts.map(
    part => `(select count(*)::int from (select ${part.from} limit ${MAX_COUNTED + 1}) counted)`,
  );
  const [rows, [counted]] = await Promise.all([
    em.fork().execute<(RecordRow & { at: string })[]>(
      `select *, ${timeText('received_at')} as at
             from (${newest.join(' union all ')}) e order by received_at desc, id desc limit ? offset ?`,
      [...parts.flatMap(({ values }) => [...values, ...placed, start + limit + 1]), limit + 1, start],
    ),
    em.fork().execute<{ total: number }[]>(
      `select ${counts.join(' + ')} as total`,
      parts.flatMap(({ values }) => values),
    ),
  ]);
  const total = counted?.total ?? 0;
  const [page, pagination] = toPage(query, rows, total, ({ at, id }) => ({ list, at, ids: [id] }), MAX_COUNTED);
  return { webhookEvents: page.map(({ at: _at, ...row }) => toResource(row)), pagination };
}

/** Lists all of a team's events, newest first. */
export const listTeamWebhookEvents = async (em: EntityManager, teamId: TeamId, query: ListQuery) =>
  listWebhookEvents(em, teamId, [null, ...(await findProjects(em.fork(), teamId))], query);

/**
 * Returns an event of a team and what Stripe sent; the payload is null once it was deleted.
 * @throws Problem 404
 */
export async function findTeamWebhookEvent(em: EntityManager, teamId: TeamId, eventId: string) {
  const [row] = await executeBound<RecordRow & { payload: Record<string, unknown> | null }>(
    em.fork(),
    `select ${RECORD_COLUMNS}, e.payload::json as payload from webhook_events e where e.team_id = $1 and e.id = $2`,
    [teamId, eventId],
  );
  if (!row) throw notFound('webhook_event');
  return { webhookEvent: toResource(row), payload: row.payload };
}
