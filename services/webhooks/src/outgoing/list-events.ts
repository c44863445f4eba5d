import type { EntityManager } from '@mikro-orm/postgresql';
import { cursorText, type Cursor } from '@billing/contracts/cursor';
import { EVENT_TYPES, isWanted, type TypeChoice } from '@billing/contracts/event-types';
import type { EventId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { event, type PublicEvent } from '@billing/contracts/resources/event';
import { executeBound } from '@billing/database/bound-statement';
import { markList, otherList } from '@billing/database/cursors';
import { z } from 'zod';

/** Events that one request looks at: a filter that matches little says `hasMore` instead of taking long. */
const MAX_SCANNED = 10_000;

export interface EventQuery {
  readonly order: 'asc' | 'desc';
  readonly types?: readonly TypeChoice[] | undefined;
  readonly objectId?: string | undefined;
  /** When an event happened. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly limit: number;
  readonly cursor?: Cursor | undefined;
}

interface EventRow {
  readonly position: number;
  readonly body: string;
}

/**
 * Reads events of a project in the order of their positions, or from the newest back. Ascending, the cursor stands behind
 * the last event that was looked at: a reader who goes on sees each position once, and it is null only before the first.
 * @throws Problem 400 for the cursor of another list, project or order
 */
export async function listEvents(em: EntityManager, { teamId, projectId }: ProjectScope, query: EventQuery) {
  const { order, objectId, since, until, limit, cursor } = query;
  const { types: wanted } = query;
  const types = wanted && EVENT_TYPES.filter(type => isWanted(wanted, type));
  const list = markList({ limit, offset: 0, cursor }, `events ${order}`, { teamId, projectId });
  const after = cursor ? Number(cursor.ids[0]) : null;
  if (cursor && (!Number.isSafeInteger(after) || cursor.ids.length !== 1)) throw otherList();
  const isAscending = order === 'asc';
  const from = `from events
    where team_id = $1 and project_id = $2 and ($3::bigint is null or position ${isAscending ? '>' : '<'} $3)
      and ($4::text is null or object_id = $4)`;
  const values = [teamId, projectId, after, objectId ?? null];
  const [scan] = await executeBound<{ count: number; last: number | null }>(
    em.fork(),
    `select count(*)::int as count, ${isAscending ? 'max' : 'min'}(position)::float8 as last
       from (select position ${from} order by position ${order} limit ${MAX_SCANNED}) s`,
    values,
  );
  // What is recorded after this is for the next request.
  const bound = scan?.last ?? null;
  const rows =
    bound === null
      ? []
      : await executeBound<EventRow>(
          em.fork(),
          `select position::float8 as position, body ${from}
              and position ${isAscending ? '<=' : '>='} $5 and ($6::text[] is null or type = any($6))
              and ($7::timestamptz is null or happened_at >= $7) and ($8::timestamptz is null or happened_at < $8)
            order by position ${order} limit $9`,
          [...values, bound, types ?? null, since ?? null, until ?? null, limit + 1],
        );
  const shown = rows.slice(0, limit);
  const isFull = rows.length > limit;
  const hasMore = isFull || scan?.count === MAX_SCANNED;
  const last = (isFull ? shown.at(-1)?.position : bound) ?? after;
  const nextCursor =
    last === null || !(isAscending || hasMore)
      ? null
      : z.encode(cursorText, { list, at: null, ids: [String(last)], offset: 0 });
  return { events: shown.map(readBody), nextCursor, hasMore };
}

/**
 * Finds an event.
 * @throws Problem 404, of `resource`, also for one that is older than the retention
 */
export async function findEvent(
  em: EntityManager,
  scope: ProjectScope,
  id: EventId,
  resource = 'event',
): Promise<PublicEvent> {
  const [row] = await executeBound<EventRow>(
    em.fork(),
    `select position::float8 as position, body from events where team_id = $1 and project_id = $2 and id = $3`,
    [scope.teamId, scope.projectId, id],
  );
  if (!row) throw notFound(resource);
  return readBody(row);
}

const readBody = ({ body }: EventRow): PublicEvent => event.parse(JSON.parse(body));
