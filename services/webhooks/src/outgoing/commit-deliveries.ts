import type { EntityManager } from '@mikro-orm/postgresql';
import type { WebhookDeliveryId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { EndpointHealth } from '#domain/endpoint-health.ts';
import { IN_ORDER_FAILURES } from '#domain/retry-schedule.ts';
import type { DeliveryItem, Holding } from './delivery-rows.ts';
import { LEASE_SECONDS, NEWS, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
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
