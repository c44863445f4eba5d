import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookDeliveryId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { EndpointHealth } from '#domain/endpoint-health.ts';
import { IN_ORDER_FAILURES } from '#domain/retry-schedule.ts';
import type { DeliveryItem, Holding } from './delivery-rows.ts';
import { LEASE_SECONDS, newsOf, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
import type { Sent } from './sender.ts';

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

/** What is written of one endpoint. */
export interface EndpointProgress extends Progress {
  readonly endpoint: LeasedEndpoint;
}

/**
 * Writes what was tried, how far endpoints are and how they respond, all together, and extends their leases. Returns the news
 * of each endpoint; null when another process has its lease, or it is gone: then nothing of it is written. Endpoints are
 * locked in the order of their ids, as wherever several are.
 */
export async function commitDeliveries(
  em: EntityManager,
  progress: readonly EndpointProgress[],
): Promise<readonly (EndpointNews | null)[]> {
  // The health may be the whole endpoint; the statement takes what it names.
  const endpoints = progress.map(({ endpoint: { id, leaseId }, position, health }) => {
    return { ...health, id, leaseId, position };
  });
  const rows = await executeBound<EndpointNews & { readonly id: string }>(
    em,
    `with given as (
       select * from json_to_recordset($1::json) as g(
         id text, "leaseId" uuid, position bigint, status text, "disabledReason" text, "failingSince" timestamptz,
         "lastSuccessAt" timestamptz, failures int, "failedObject" text, "hasFailedTwoObjects" boolean, "isWarned" boolean)),
     locked as (
       select id from webhook_endpoints where id in (select id from given) order by id for update),
     held as (
       update webhook_endpoints e
          set position = greatest(e.position, g.position), status = g.status, disabled_reason = "disabledReason",
              due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), failing_since = "failingSince",
              last_success_at = "lastSuccessAt", failures = g.failures, failed_object = "failedObject",
              has_failed_two_objects = "hasFailedTwoObjects", is_warned = "isWarned"
         from locked join given g using (id)
        where e.id = locked.id and e.lease_id = "leaseId" returning e.id, ${newsOf('e')}),
     saved as (
       insert into webhook_deliveries
       select d.* from json_populate_recordset(null::webhook_deliveries, $2::json) d
        where d.endpoint_id in (select id from held)
       on conflict (endpoint_id, position, created_at) do update
          set status = excluded.status, attempts = excluded.attempts, failures = excluded.failures, trigger = excluded.trigger,
              next_attempt_at = excluded.next_attempt_at
       returning id),
     tried as (
       insert into delivery_attempts
       select a.* from json_populate_recordset(null::delivery_attempts, $3::json) a
        where a.delivery_id in (select id from saved))
     select * from held`,
    [
      JSON.stringify(endpoints),
      JSON.stringify(progress.flatMap(deliveriesOf)),
      JSON.stringify(progress.flatMap(attemptsOf)),
    ],
  );
  const news = new Map(rows.map(({ id, ...row }) => [id, row]));
  return progress.map(({ endpoint }) => news.get(endpoint.id) ?? null);
}

/** The rows of deliveries. */
const deliveriesOf = ({ endpoint: { id, teamId, projectId }, settled }: EndpointProgress) =>
  settled.map(({ item, attempt, ...row }) => ({
    team_id: teamId,
    project_id: projectId,
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

/** The rows of attempts. */
const attemptsOf = ({ endpoint: { teamId, projectId }, settled }: EndpointProgress) =>
  settled.flatMap(({ item, id, attempts, attempt }) => {
    if (!attempt) return [];
    const { durationMs, responseStatus, responseBody, error, address } = attempt.sent;
    return [
      {
        team_id: teamId,
        project_id: projectId,
        delivery_id: id,
        number: attempts,
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

/**
 * Makes deliveries due that need not wait any longer: of these objects those that only waited for an earlier event which is
 * settled, or, when the endpoint has recovered, all. Returns their positions.
 */
export async function freeWaiting(
  em: EntityManager,
  { id, teamId }: LeasedEndpoint,
  { objectKeys, hasRecovered, now }: { objectKeys: readonly string[]; hasRecovered: boolean; now: Date },
): Promise<readonly Pick<Holding, 'position' | 'objectKey'>[]> {
  return executeBound(
    em.fork(),
    `update webhook_deliveries d set next_attempt_at = $2
      where d.endpoint_id = $1 and d.team_id = $6 and d.next_attempt_at > $2
        and ($3 or (d.object_key = any($4::text[]) and d.attempts = 0 and not exists (
              select from webhook_deliveries earlier
               where earlier.endpoint_id = $1 and earlier.object_key = d.object_key and earlier.position < d.position
                 and earlier.next_attempt_at is not null and earlier.attempts > 0 and earlier.failures < $5)))
      returning d.position::float8 as position, d.object_key as "objectKey"`,
    [id, now, hasRecovered, objectKeys, IN_ORDER_FAILURES, teamId],
  );
}
