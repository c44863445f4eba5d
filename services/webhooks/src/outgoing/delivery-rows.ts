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

/** Reads the events of a project behind a position. */
export async function readEvents(
  em: EntityManager,
  { teamId, projectId }: LeasedEndpoint,
  after: number,
  limit: number,
): Promise<readonly (DeliveryItem & { readonly isFromSync: boolean })[]> {
  return executeBound(
    em.fork(),
    `select position::float8 as position, id as "eventId", type, object_type || ' ' || object_id as "objectKey",
            is_from_sync as "isFromSync", null as delivery
       from events where team_id = $1 and project_id = $2 and position > $3 order by position limit $4`,
    [teamId, projectId, after, limit],
  );
}

/** What is sent of an event. */
export interface StoredBody {
  readonly body: string;
  /** The personal data of its customer are gone. */
  readonly isErased: boolean;
}

/** Reads the bodies of events by position; those that are older than the retention have none. */
export async function readBodies(
  em: EntityManager,
  { teamId, projectId }: LeasedEndpoint,
  positions: readonly number[],
): Promise<ReadonlyMap<number, StoredBody>> {
  const rows = await executeBound<StoredBody & { position: number }>(
    em.fork(),
    `select position::float8 as position, body, is_erased as "isErased" from events
      where team_id = $1 and project_id = $2 and position = any($3::bigint[])`,
    [teamId, projectId, positions],
  );
  return new Map(rows.map(row => [row.position, row]));
}

const DELIVERY = `d.position::float8 as position, d.event_id as "eventId", d.type, d.object_key as "objectKey",
  d.id, d.created_at::text as "createdAt", d.attempts, d.failures, d.trigger, d.next_attempt_at as "nextAttemptAt"`;

type DeliveryRow = Omit<DeliveryItem, 'delivery'> & Omit<StoredDelivery, 'nextAttemptAt'> & { nextAttemptAt: string };

/** Reads deliveries of an endpoint that are due at a time, or all that wait, those sent by hand first, in the order of their events. */
export async function readDue(
  em: EntityManager,
  { id }: LeasedEndpoint,
  dueAt: Date | null,
  limit: number,
): Promise<readonly DeliveryItem[]> {
  const rows = await executeBound<DeliveryRow>(
    em.fork(),
    `select ${DELIVERY} from webhook_deliveries d
      where d.endpoint_id = $1 and d.next_attempt_at is not null and ($2::timestamptz is null or d.next_attempt_at <= $2)
      order by (d.trigger <> 'manual'), d.position limit $3`,
    [id, dueAt, limit],
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
export async function findDueAfter(em: EntityManager, { id }: LeasedEndpoint, after: Date): Promise<number> {
  const [row] = await executeBound<{ dueAt: string | null }>(
    em.fork(),
    `select min(next_attempt_at) as "dueAt" from webhook_deliveries where endpoint_id = $1 and next_attempt_at > $2`,
    [id, after],
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

/** What earlier turns have left: the deliveries beyond the cursor, those that hold later events, and when the next is due. */
export async function readLeft(em: EntityManager, { id, position }: LeasedEndpoint) {
  const rows = await executeBound<{ position: number; objectKey: string | null; until: string | null }>(
    em.fork(),
    `select position::float8 as position, case when failures < $3 then object_key end as "objectKey", next_attempt_at as until
       from webhook_deliveries where endpoint_id = $1 and position > $2
      union all
     select position::float8, object_key, next_attempt_at
       from webhook_deliveries where endpoint_id = $1 and position <= $2 and next_attempt_at is not null and failures < $3
      union all
     select 0, null, min(next_attempt_at) from webhook_deliveries where endpoint_id = $1 and next_attempt_at is not null`,
    [id, position, IN_ORDER_FAILURES],
  );
  const waiting = rows.flatMap(({ until, ...row }) => (until === null ? [] : [{ ...row, until: new Date(until) }]));
  return {
    ahead: new Set(rows.flatMap(row => (row.position > position ? [row.position] : []))),
    holding: waiting.flatMap(({ objectKey, ...row }) => (objectKey === null ? [] : [{ ...row, objectKey }])),
    dueFrom: waiting.reduce((first, { until }) => Math.min(first, until.getTime()), Infinity),
  };
}
