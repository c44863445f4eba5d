import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventId, WebhookDeliveryId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { IN_ORDER_FAILURES } from '#domain/retry-schedule.ts';
import type { LeasedEndpoint } from './endpoint-rows.ts';

/** An event on its way to an endpoint. */
export interface DeliveryItem {
  readonly position: number;
  readonly eventId: EventId;
  readonly type: string;
  readonly objectKey: string;
  /** The row of a delivery that was tried before, or that waits. */
  readonly delivery: StoredDelivery | null;
}

interface StoredDelivery {
  readonly id: WebhookDeliveryId;
  /** As text, since a `Date` has no microseconds. */
  readonly createdAt: string;
  readonly attempts: number;
  readonly failures: number;
  readonly trigger: 'automatic' | 'manual' | 'recovery';
  readonly nextAttemptAt: Date;
}

/** Where in a project's events an endpoint goes on. */
export interface EventsAfter {
  readonly endpoint: Pick<LeasedEndpoint, 'teamId' | 'projectId'>;
  readonly after: number;
}

type NextEvent = DeliveryItem & { readonly isFromSync: boolean };

/** Reads the next events behind each of these positions, at most so many; endpoints at the same place share the reading. */
export async function readEvents(
  em: EntityManager,
  places: readonly EventsAfter[],
  limit: number,
): Promise<readonly (readonly NextEvent[])[]> {
  const keys = places.map(({ endpoint, after }) => `${endpoint.teamId} ${endpoint.projectId} ${after}`);
  const different = new Map(places.map((place, index) => [keys[index], place]));
  const rows = await executeBound<NextEvent & { readonly key: string }>(
    em,
    `select key, e.position::float8 as position, e.id as "eventId", e.type, e.object_type || ' ' || e.object_id as "objectKey",
            e.is_from_sync as "isFromSync", null as delivery
       from json_to_recordset($1::json) as k(key text, "teamId" text, "projectId" text, after bigint)
      cross join lateral (
            select * from events where team_id = "teamId" and project_id = "projectId" and position > after
             order by position limit $2) e
      order by e.position`,
    [
      JSON.stringify(
        [...different].map(([key, { endpoint, after }]) => {
          const { teamId, projectId } = endpoint;
          return { key, teamId, projectId, after };
        }),
      ),
      limit,
    ],
  );
  const byKey = Map.groupBy(rows, ({ key }) => key);
  return keys.map(key => byKey.get(key) ?? []);
}

/** What is sent of an event. */
export interface StoredBody {
  readonly body: string;
  /** The personal data of its customer are gone. */
  readonly isErased: boolean;
}

/** Events of a project by position. */
export interface EventsAt {
  readonly endpoint: Pick<LeasedEndpoint, 'teamId' | 'projectId'>;
  readonly positions: readonly number[];
}

/** Reads the bodies of events by position; those that are older than the retention have none. */
export async function readBodies(
  em: EntityManager,
  wanted: readonly EventsAt[],
): Promise<readonly ReadonlyMap<number, StoredBody>[]> {
  const projects = new Map<string, { readonly endpoint: EventsAt['endpoint']; readonly positions: Set<number> }>();
  for (const { endpoint, positions } of wanted) {
    const known = projects.get(endpoint.projectId) ?? { endpoint, positions: new Set() };
    for (const position of positions) known.positions.add(position);
    projects.set(endpoint.projectId, known);
  }
  const keys = [...projects.values()].flatMap(({ endpoint: { teamId, projectId }, positions }) =>
    [...positions].map(position => ({ teamId, projectId, position })),
  );
  const rows = await executeBound<StoredBody & { readonly projectId: string; readonly position: number }>(
    em,
    `select k."projectId", k.position::float8 as position, e.body, e.is_erased as "isErased"
       from json_to_recordset($1::json) as k("teamId" text, "projectId" text, position bigint)
      cross join lateral (
            select body, is_erased from events
             where team_id = "teamId" and project_id = "projectId" and position = k.position limit 1) e`,
    [JSON.stringify(keys)],
  );
  const byProject = new Map<string, Map<number, StoredBody>>();
  for (const { projectId, position, ...stored } of rows)
    byProject.set(projectId, (byProject.get(projectId) ?? new Map<number, StoredBody>()).set(position, stored));
  return wanted.map(({ endpoint }) => byProject.get(endpoint.projectId) ?? new Map());
}

const DELIVERY = `d.position::float8 as position, d.event_id as "eventId", d.type, d.object_key as "objectKey",
  d.id, d.created_at::text as "createdAt", d.attempts, d.failures, d.trigger, d.next_attempt_at as "nextAttemptAt"`;

type DeliveryRow = Omit<DeliveryItem, 'delivery'> & Omit<StoredDelivery, 'nextAttemptAt'> & { nextAttemptAt: string };

/** Reads deliveries of an endpoint that are due at a time, or all that wait, those sent by hand first, in the order of their events. */
export async function readDue(
  em: EntityManager,
  { id, teamId }: LeasedEndpoint,
  dueAt: Date | null,
  limit: number,
): Promise<readonly DeliveryItem[]> {
  const rows = await executeBound<DeliveryRow>(
    em.fork(),
    `select ${DELIVERY} from webhook_deliveries d
      where d.endpoint_id = $1 and d.team_id = $4 and d.next_attempt_at is not null
        and ($2::timestamptz is null or d.next_attempt_at <= $2)
      order by (d.trigger <> 'manual'), d.position limit $3`,
    [id, dueAt, limit, teamId],
  );
  return rows.map(({ position, eventId, type, objectKey, ...delivery }) => ({
    position,
    eventId,
    type,
    objectKey,
    delivery: { ...delivery, nextAttemptAt: new Date(delivery.nextAttemptAt) },
  }));
}

/** When the next delivery after a time is due, as a time in milliseconds; infinite when none is. */
export async function findDueAfter(em: EntityManager, { id, teamId }: LeasedEndpoint, after: Date): Promise<number> {
  const [row] = await executeBound<{ dueAt: string | null }>(
    em.fork(),
    `select min(next_attempt_at) as "dueAt" from webhook_deliveries
      where endpoint_id = $1 and team_id = $3 and next_attempt_at > $2`,
    [id, after, teamId],
  );
  return row?.dueAt ? new Date(row.dueAt).getTime() : Infinity;
}

/** An event that later ones of its object wait for. */
export interface Holding {
  readonly position: number;
  readonly objectKey: string;
  /** When it is tried again. */
  readonly until: Date;
}

/** What earlier turns have left of an endpoint. */
export interface Left {
  /** The positions beyond the cursor that have a delivery. */
  readonly ahead: ReadonlySet<number>;
  readonly holding: readonly Holding[];
  /** When the next delivery is due, as a time in milliseconds; infinite when none is. */
  readonly dueFrom: number;
}

/** Reads what earlier turns have left of each endpoint. */
export async function readLeft(em: EntityManager, endpoints: readonly LeasedEndpoint[]): Promise<readonly Left[]> {
  const rows = await executeBound<{ id: string; position: number; objectKey: string | null; until: string | null }>(
    em,
    `select k.id, l.position::float8 as position, case when failures < $2 then object_key end as "objectKey", until
       from json_to_recordset($1::json) as k(id text, position bigint)
      cross join lateral (
            select position, object_key, failures, next_attempt_at as until
              from webhook_deliveries where endpoint_id = k.id and position > k.position
             union all
            select position, object_key, failures, next_attempt_at
              from webhook_deliveries
             where endpoint_id = k.id and position <= k.position and next_attempt_at is not null and failures < $2
             union all
            select 0, null, null, min(next_attempt_at)
              from webhook_deliveries where endpoint_id = k.id and next_attempt_at is not null) l
      where until is not null or l.position > k.position`,
    [JSON.stringify(endpoints.map(({ id, position }) => ({ id, position }))), IN_ORDER_FAILURES],
  );
  const byEndpoint = Map.groupBy(rows, ({ id }) => id);
  return endpoints.map(({ id, position }) => {
    const own = byEndpoint.get(id) ?? [];
    const waiting = own.flatMap(({ until, ...row }) => (until === null ? [] : [{ ...row, until: new Date(until) }]));
    return {
      ahead: new Set(own.flatMap(row => (row.position > position ? [row.position] : []))),
      holding: waiting.flatMap(({ objectKey, ...row }) => (objectKey === null ? [] : [{ ...row, objectKey }])),
      dueFrom: waiting.reduce((first, { until }) => Math.min(first, until.getTime()), Infinity),
    };
  });
}
