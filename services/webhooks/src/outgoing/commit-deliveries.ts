import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { SHORT_LINGER } from '@billing/database/linger';
import { openBatcher } from '@billing/messaging/batcher';
import type { EndpointHealth } from './endpoint-health.rules.ts';
import { LEASE_SECONDS, newsOf, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';
import { countBytes, partitionOf, ROW_BYTES } from '../stored-bytes.ts';
import type { Ended } from './send-queue.ts';

/** How an endpoint is released. */
export interface Release {
  /** Which of its calls were taken in. */
  readonly calls: number;
  /** When it is due at the latest; null when only something new makes it due. */
  readonly dueAt: Date | null;
  /** When it is due at the earliest, after a fault of ours. */
  readonly notBefore: Date | null;
}

/** What is written together. */
export interface Progress {
  readonly ended: readonly Ended[];
  /** How far the endpoint is: every event up to it is handled, or has a delivery. */
  readonly position: number;
  readonly health: EndpointHealth;
  /** Null while it is still sent to: then its lease is extended. */
  readonly release: Release | null;
}

/** What is written of one endpoint. */
interface EndpointProgress extends Progress {
  readonly endpoint: LeasedEndpoint;
}

/** What a statement on `webhook_deliveries` returns of each row to `countBytes`: what a new one takes. */
export const NEW_DELIVERY = `new.team_id, ${partitionOf('webhook_deliveries', 'new.created_at')} as store,
  case when old.id is null then ${ROW_BYTES.webhook_deliveries} else 0 end as bytes`;

/**
 * Writes the progress of endpoints; what ends at the same time takes one statement. Undefined when this process has lost the lease.
 * What endpoints of a full team respond is not kept.
 */
export function openCommitter(em: EntityManager, isFull: (teamId: string) => boolean) {
  const commit = openBatcher((progress: readonly EndpointProgress[]) => commitDeliveries(em.fork(), progress, isFull), {
    weigh: ({ ended }) => 1 + ended.length,
    // A statement for one delivery costs a third of one for twenty.
    linger: SHORT_LINGER,
  });
  return async (progress: EndpointProgress): Promise<EndpointNews | undefined> => (await commit(progress)) ?? undefined;
}

/**
 * Writes what was tried, how far endpoints are and how they respond, all together, and extends their leases or releases them.
 * Returns the news of each endpoint; null when another process has its lease, or it is gone: then nothing of it is written.
 * The same progress may be written again, where nobody knows whether it was. A released endpoint is due when its next delivery
 * is, a failing one at `dueAt`, and at once where there are events behind its position, or calls that were not taken in.
 * Endpoints are locked in the order of their ids, as wherever several are.
 */
export async function commitDeliveries(
  em: EntityManager,
  progress: readonly EndpointProgress[],
  isFull: (teamId: string) => boolean = () => false,
): Promise<readonly (EndpointNews | null)[]> {
  // The health may be the whole endpoint; the statement takes what it names.
  const endpoints = progress.map(({ endpoint: { id, leaseId, version }, position, health, release }) => {
    return { ...health, ...release, id, leaseId, version, position, isReleased: release !== null };
  });
  const rows = await executeBound<EndpointNews & Pick<LeasedEndpoint, 'id' | 'leaseId'>>(
    em,
    `with given as (
       select * from json_to_recordset($1::json) as g(
         id text, "leaseId" uuid, position bigint, status text, "disabledReason" text, "failingSince" timestamptz,
         "lastSuccessAt" timestamptz, failures int, "failedObject" text, "hasFailedTwoObjects" boolean, "isWarned" boolean,
         "isReleased" boolean, calls int, version text, "dueAt" timestamptz, "notBefore" timestamptz)),
     deliveries as (select * from json_populate_recordset(null::webhook_deliveries, $2::json)),
     locked as (
       select id from webhook_endpoints where id = any($4::text[]) order by id for update),
     held as (
       update webhook_endpoints e
          set position = greatest(e.position, g.position), status = g.status, disabled_reason = "disabledReason",
              lease_id = case when not "isReleased" then lease_id end,
              due_at = case when "isReleased" then ${DUE_AT} else clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}) end,
              failing_since = "failingSince", last_success_at = "lastSuccessAt", failures = g.failures,
              failed_object = "failedObject", has_failed_two_objects = "hasFailedTwoObjects", is_warned = "isWarned"
         from locked join given g using (id)
        where e.id = locked.id and e.lease_id = "leaseId" returning e.id, "leaseId", ${newsOf('e')}),
     saved as (
       insert into webhook_deliveries
       select d.* from deliveries d
        where d.endpoint_id in (select id from held)
       on conflict (endpoint_id, position, created_at) do update
          set status = excluded.status, attempts = excluded.attempts, failures = excluded.failures, trigger = excluded.trigger,
              next_attempt_at = excluded.next_attempt_at
       returning new.id, ${NEW_DELIVERY}),
     tried as (
       insert into delivery_attempts
       select a.* from json_populate_recordset(null::delivery_attempts, $3::json) a
        where a.delivery_id in (select id from saved)
       on conflict do nothing
       returning team_id, ${partitionOf('delivery_attempts', 'at')} as store,
                 ${ROW_BYTES.delivery_attempts} + coalesce(octet_length(response_body), 0) as bytes),
     counted as (${countBytes('(select team_id, store, bytes from saved union all select * from tried) stored')})
     select * from held`,
    [
      JSON.stringify(endpoints),
      JSON.stringify(progress.flatMap(deliveryRows)),
      JSON.stringify(progress.flatMap(one => attemptRows(one, isFull))),
      endpoints.map(({ id }) => id),
    ],
  );
  const news = new Map(rows.map(({ id, leaseId, ...row }) => [`${id} ${leaseId}`, row]));
  return progress.map(({ endpoint: { id, leaseId } }) => news.get(`${id} ${leaseId}`) ?? null);
}

/**
 * When an endpoint `e` is due that is released. The table has its deliveries as they were before the statement: for one that
 * was due the endpoint is leased once more, and finds nothing.
 */
const DUE_AT = `
  case when g.status <> 'disabled' then greatest("notBefore", case
    when e.calls <> g.calls or e.updated_at <> version::timestamptz or (e.wanted_position > g.position and g.status = 'enabled')
      then clock_timestamp()
    when g.status = 'enabled' and exists (select from recoveries where endpoint_id = e.id and finished_at is null)
      then clock_timestamp() + interval '200 milliseconds'
    else least("dueAt", case when g.status = 'enabled' then least(
      (select min(next_attempt_at) from deliveries where endpoint_id = e.id),
      (select min(next_attempt_at) from webhook_deliveries where endpoint_id = e.id and next_attempt_at is not null)) end)
    end) end`;

const deliveryRows = ({ endpoint, ended }: EndpointProgress) =>
  ended.map(({ item, attempt, ...outcome }) => ({
    team_id: endpoint.teamId,
    project_id: endpoint.projectId,
    id: item.id,
    endpoint_id: endpoint.id,
    position: item.position,
    event_id: item.eventId,
    type: item.type,
    object_key: item.objectKey,
    status: outcome.status,
    attempts: outcome.attempts,
    failures: outcome.failures,
    trigger: attempt ? 'automatic' : item.trigger,
    next_attempt_at: outcome.nextAttemptAt,
    created_at: item.createdAt,
  }));

const attemptRows = (
  { endpoint: { teamId, projectId }, ended }: EndpointProgress,
  isFull: (teamId: string) => boolean,
) =>
  ended.flatMap(({ item, attempts, attempt }) => {
    if (!attempt) return [];
    const { durationMs, responseStatus, responseBody, error, address } = attempt.sent;
    return [
      {
        team_id: teamId,
        project_id: projectId,
        delivery_id: item.id,
        number: attempts,
        trigger: item.trigger,
        at: attempt.at,
        duration_ms: durationMs,
        response_status: responseStatus,
        response_body: isFull(teamId) ? null : responseBody,
        error,
        address,
      },
    ];
  });
