import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventId, ProjectId, TeamId, WebhookDeliveryId, WebhookEndpointId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { EndpointHealth } from '#domain/endpoint-health.ts';
import type { Sent } from './sender.ts';

/** Longer than an attempt takes, and the commit after it. */
export const LEASE_SECONDS = 60;

const HEALTH = `status, disabled_reason as "disabledReason", failing_since as "failingSince", last_success_at as "lastSuccessAt",
  failures, failed_object as "failedObject", has_failed_two_objects as "hasFailedTwoObjects"`;

const ENDPOINTS: LeasedTable = {
  table: 'webhook_endpoints',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `id, team_id as "teamId", project_id as "projectId", url, event_types as "eventTypes",
    max_concurrency as "maxConcurrency", include_sync as "includeSync", position::float8 as position, lease_id as "leaseId",
    ${HEALTH}`,
  maxPerTeam: 100,
};

/** An endpoint that this process sends to. */
export interface LeasedEndpoint extends EndpointHealth {
  readonly id: WebhookEndpointId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly maxConcurrency: number;
  readonly includeSync: boolean;
  readonly position: number;
  readonly leaseId: string;
}

/** Leases up to `limit` endpoints with something to send, teams in turn. */
export const leaseEndpoints = async (em: EntityManager, limit: number): Promise<readonly LeasedEndpoint[]> =>
  (await leaseRows<LeasedEndpoint>(em, ENDPOINTS, limit)).rows;

/** An event on its way to an endpoint. */
export interface DeliveryItem {
  readonly position: number;
  readonly eventId: EventId;
  readonly type: string;
  readonly objectKey: string;
  /** Null when the event is older than the retention, or was erased with its customer. */
  readonly body: string | null;
  /** The row of a delivery that was tried before. */
  readonly delivery: {
    readonly id: WebhookDeliveryId;
    readonly createdAt: Date;
    readonly attempts: number;
    readonly failures: number;
    readonly trigger: 'automatic' | 'manual' | 'recovery';
  } | null;
}

/** Reads the events of a project behind a position, and how far it has read. */
export async function readEvents(
  em: EntityManager,
  { teamId, projectId }: LeasedEndpoint,
  after: number,
  limit: number,
): Promise<readonly (DeliveryItem & { readonly isFromSync: boolean })[]> {
  return executeBound(
    em.fork(),
    `select position::float8 as position, id as "eventId", type, object_type || ' ' || object_id as "objectKey", body,
            is_from_sync as "isFromSync", null as delivery
       from events where team_id = $1 and project_id = $2 and position > $3 order by position limit $4`,
    [teamId, projectId, after, limit],
  );
}

const DELIVERY = `d.position::float8 as position, d.event_id as "eventId", d.type, d.object_key as "objectKey",
  d.id as "deliveryId", d.created_at as "createdAt", d.attempts, d.failures, d.trigger`;

interface DeliveryRow extends Omit<DeliveryItem, 'delivery'> {
  readonly deliveryId: WebhookDeliveryId;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly failures: number;
  readonly trigger: 'automatic' | 'manual' | 'recovery';
}

/** Reads deliveries of an endpoint that are due, in the order of their events. */
export async function readDue(
  em: EntityManager,
  { id, teamId, projectId }: LeasedEndpoint,
  now: Date,
  limit: number,
): Promise<readonly DeliveryItem[]> {
  const rows = await executeBound<DeliveryRow>(
    em.fork(),
    `select ${DELIVERY}, case when not e.is_erased then e.body end as body
       from webhook_deliveries d
       left join events e on (e.team_id, e.project_id, e.position) = ($2, $3, d.position)
      where d.endpoint_id = $1 and d.next_attempt_at <= $4 order by d.position limit $5`,
    [id, teamId, projectId, now, limit],
  );
  return rows.map(({ deliveryId, createdAt, attempts, failures, trigger, ...event }) => ({
    ...event,
    delivery: { id: deliveryId, createdAt: new Date(createdAt), attempts, failures, trigger },
  }));
}

/** What earlier turns have left: deliveries beyond the cursor, and objects whose later events wait. */
export async function readLeft(em: EntityManager, { id, position }: LeasedEndpoint, holding: number) {
  const ahead = await executeBound<{ position: number }>(
    em.fork(),
    `select position::float8 as position from webhook_deliveries where endpoint_id = $1 and position > $2`,
    [id, position],
  );
  const waiting = await executeBound<{ objectKey: string; until: Date }>(
    em.fork(),
    `select object_key as "objectKey", max(next_attempt_at) as until from webhook_deliveries
      where endpoint_id = $1 and next_attempt_at is not null and failures < $2 and trigger = 'automatic' group by 1`,
    [id, holding],
  );
  return {
    ahead: new Set(ahead.map(row => row.position)),
    held: new Map(waiting.map(({ objectKey, until }) => [objectKey, new Date(until)])),
  };
}

/** What is written about an event after it was tried, or because it has to wait. */
export interface Settled {
  readonly item: DeliveryItem;
  readonly id: WebhookDeliveryId;
  readonly createdAt: Date;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  readonly attempts: number;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly attempt: { readonly at: Date; readonly sent: Sent } | null;
}

/**
 * Writes what was tried, how far the endpoint is and how it answers, all together, and extends the lease. False when another
 * process has the lease, or the endpoint is gone: then nothing is written.
 */
export async function commitDeliveries(
  em: EntityManager,
  { id, teamId, projectId, leaseId }: LeasedEndpoint,
  { settled, position, health }: { settled: readonly Settled[]; position: number; health: EndpointHealth },
): Promise<boolean> {
  const deliveries = settled.map(({ item, attempt, ...row }) => ({
    id: row.id,
    team_id: teamId,
    project_id: projectId,
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
  const attempts = settled.flatMap(({ item, id: deliveryId, attempts: number, attempt }) =>
    attempt
      ? [
          {
            delivery_id: deliveryId,
            team_id: teamId,
            project_id: projectId,
            number,
            trigger: item.delivery?.trigger ?? 'automatic',
            at: attempt.at,
            duration_ms: attempt.sent.durationMs,
            response_status: attempt.sent.responseStatus,
            response_body: attempt.sent.responseBody,
            error: attempt.sent.error,
            address: attempt.sent.address,
          },
        ]
      : [],
  );
  const rows = await executeBound(
    em.fork(),
    `with held as (
       update webhook_endpoints
          set position = greatest(position, $3), due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
              status = case when status = 'disabled' then status else $4 end,
              disabled_reason = case when status = 'disabled' then disabled_reason else $5 end,
              failing_since = $6, last_success_at = $7, failures = $8, failed_object = $9, has_failed_two_objects = $10
        where id = $1 and lease_id = $2 returning 1),
     saved as (
       insert into webhook_deliveries
       select d.* from json_populate_recordset(null::webhook_deliveries, $11::json) d where exists (select from held)
       on conflict (endpoint_id, position, created_at) do update
          set status = excluded.status, attempts = excluded.attempts, failures = excluded.failures, trigger = excluded.trigger,
              next_attempt_at = excluded.next_attempt_at),
     tried as (
       insert into delivery_attempts
       select a.* from json_populate_recordset(null::delivery_attempts, $12::json) a where exists (select from held))
     select 1 from held`,
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
  return rows.length > 0;
}

/**
 * Releases an endpoint: it is due when its next delivery is, at `dueAt` at the latest, and at once where events were recorded
 * that it has not read.
 */
export async function releaseEndpoint(
  em: EntityManager,
  { id, leaseId }: LeasedEndpoint,
  { read, dueAt }: { readonly read: number; readonly dueAt: Date | null },
): Promise<void> {
  await executeBound(
    em.fork(),
    `update webhook_endpoints
        set lease_id = null,
            due_at = case when status = 'disabled' then null
                          when wanted_position > $3 and status = 'enabled' then clock_timestamp() else $4::timestamptz end
      where id = $1 and lease_id = $2`,
    [id, leaseId, read, dueAt],
  );
}

/** When the next delivery of an endpoint is due; null when none waits. */
export async function nextDueAt(em: EntityManager, { id }: LeasedEndpoint): Promise<Date | null> {
  const [row] = await executeBound<{ dueAt: Date | null }>(
    em.fork(),
    `select min(next_attempt_at) as "dueAt" from webhook_deliveries where endpoint_id = $1 and next_attempt_at is not null`,
    [id],
  );
  return row?.dueAt ? new Date(row.dueAt) : null;
}
