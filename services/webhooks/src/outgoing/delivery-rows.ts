import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventId, WebhookDeliveryId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { EndpointHealth } from '#domain/endpoint-health.ts';
import { IN_ORDER_FAILURES } from '#domain/retry-schedule.ts';
import { LEASE_SECONDS, NEWS, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
import type { Sent } from './sender.ts';

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

/** Reads deliveries of an endpoint that are due at a time, or all that wait, in the order of their events. */
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
      order by d.position limit $3`,
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
  const rows = await executeBound<{ position: number; objectKey: string; until: string | null; isHolding: boolean }>(
    em.fork(),
    `select position::float8 as position, object_key as "objectKey", next_attempt_at as until,
            next_attempt_at is not null and failures < $3 as "isHolding"
       from webhook_deliveries where endpoint_id = $1 and position > $2
      union all
     select position::float8, object_key, next_attempt_at, failures < $3
       from webhook_deliveries where endpoint_id = $1 and position <= $2 and next_attempt_at is not null`,
    [id, position, IN_ORDER_FAILURES],
  );
  const waiting = rows.flatMap(({ until, ...row }) => (until === null ? [] : [{ ...row, until: new Date(until) }]));
  return {
    ahead: new Set(rows.flatMap(row => (row.position > position ? [row.position] : []))),
    holding: waiting.filter(({ isHolding }) => isHolding),
    dueFrom: waiting.reduce((first, { until }) => Math.min(first, until.getTime()), Infinity),
  };
}

/** What is written about an event after it was tried, or because it has to wait. */
export interface Settled {
  readonly item: DeliveryItem;
  readonly id: WebhookDeliveryId;
  readonly createdAt: string;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  readonly attempts: number;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly attempt: { readonly at: Date; readonly sent: Sent } | null;
}

/** What is written together. */
export interface Progress {
  readonly settled: readonly Settled[];
  /** How far the endpoint is: every event up to it is handled, or has a delivery. */
  readonly position: number;
  readonly health: EndpointHealth;
}

/**
 * Writes what was tried, how far the endpoint is and how it answers, all together, and extends the lease. Returns the news of
 * the endpoint; undefined when another process has the lease, or the endpoint is gone: then nothing is written.
 */
export async function commitDeliveries(
  em: EntityManager,
  { id, teamId, projectId, leaseId }: LeasedEndpoint,
  { settled, position, health }: Progress,
): Promise<EndpointNews | undefined> {
  const scope = { team_id: teamId, project_id: projectId };
  const deliveries = settled.map(({ item, attempt, ...row }) => ({
    ...scope,
    id: row.id,
    endpoint_id: id,
    position: item.position,
    event_id: item.eventId,
    type: item.type,
    object_key: item.objectKey,
    status: row.status,
    attempts: row.attempts,
    failures: row.failures,
    trigger: attempt ? 'automatic' : (item.delivery?.trigger ?? 'automatic'),
    next_attempt_at: row.nextAttemptAt,
    created_at: row.createdAt,
  }));
  const attempts = settled.flatMap(({ item, id: deliveryId, attempts: number, attempt }) => {
    if (!attempt) return [];
    const { durationMs, responseStatus, responseBody, error, address } = attempt.sent;
    return [
      {
        ...scope,
        delivery_id: deliveryId,
        number,
        trigger: item.delivery?.trigger ?? 'automatic',
        at: attempt.at,
        duration_ms: durationMs,
        response_status: responseStatus,
        response_body: responseBody,
        error,
        address,
      },
    ];
  });
  const rows = await executeBound<EndpointNews>(
    em,
    `with held as (
       update webhook_endpoints
          set position = greatest(position, $3), due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
              status = $4, disabled_reason = $5,
              failing_since = $6, last_success_at = $7, failures = $8, failed_object = $9, has_failed_two_objects = $10
        where id = $1 and lease_id = $2 returning ${NEWS}),
     saved as (
       insert into webhook_deliveries
       select d.* from json_populate_recordset(null::webhook_deliveries, $11::json) d where exists (select from held)
       on conflict (endpoint_id, position, created_at) do update
          set status = excluded.status, attempts = excluded.attempts, failures = excluded.failures, trigger = excluded.trigger,
              next_attempt_at = excluded.next_attempt_at),
     tried as (
       insert into delivery_attempts
       select a.* from json_populate_recordset(null::delivery_attempts, $12::json) a where exists (select from held))
     select * from held`,
    [
      id,
      leaseId,
      position,
      health.status,
      health.disabledReason,
      health.failingSince,
      health.lastSuccessAt,
      health.failures,
      health.failedObject,
      health.hasFailedTwoObjects,
      JSON.stringify(deliveries),
      JSON.stringify(attempts),
    ],
  );
  return rows[0];
}

/**
 * Makes deliveries due that need not wait any longer: of these objects those that only waited for an earlier event which is
 * settled, or, when the endpoint has recovered, all. Returns their positions.
 */
export async function freeWaiting(
  em: EntityManager,
  { id }: LeasedEndpoint,
  { objectKeys, hasRecovered, now }: { objectKeys: readonly string[]; hasRecovered: boolean; now: Date },
): Promise<readonly Pick<Holding, 'position' | 'objectKey'>[]> {
  return executeBound(
    em.fork(),
    `update webhook_deliveries d set next_attempt_at = $2
      where d.endpoint_id = $1 and d.next_attempt_at > $2
        and ($3 or (d.object_key = any($4::text[]) and d.attempts = 0 and not exists (
              select from webhook_deliveries earlier
               where earlier.endpoint_id = $1 and earlier.object_key = d.object_key and earlier.position < d.position
                 and earlier.next_attempt_at is not null and earlier.attempts > 0 and earlier.failures < $5)))
      returning d.position::float8 as position, d.object_key as "objectKey"`,
    [id, now, hasRecovered, objectKeys, IN_ORDER_FAILURES],
  );
}
