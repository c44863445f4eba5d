import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId, WebhookEndpointId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { EndpointHealth } from '#domain/endpoint-health.ts';

/** Longer than an attempt takes, and the commit after it. */
export const LEASE_SECONDS = 60;

/** The columns of `EndpointNews`. */
export const NEWS = `wanted_position::float8 as wanted, calls, updated_at::text as version`;

const HEALTH = `status, disabled_reason as "disabledReason", failing_since as "failingSince", last_success_at as "lastSuccessAt",
  failures, failed_object as "failedObject", has_failed_two_objects as "hasFailedTwoObjects"`;

const ENDPOINTS: LeasedTable = {
  table: 'webhook_endpoints',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `id, team_id as "teamId", project_id as "projectId", url, event_types as "eventTypes",
    max_concurrency as "maxConcurrency", include_sync as "includeSync", position::float8 as position, lease_id as "leaseId",
    exists (select from recoveries r where r.endpoint_id = webhook_endpoints.id and r.finished_at is null) as "isRecovering",
    ${NEWS}, ${HEALTH}`,
  maxPerTeam: 100,
};

/** An endpoint that this process sends to. */
export interface LeasedEndpoint extends EndpointHealth, EndpointNews {
  readonly id: WebhookEndpointId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly maxConcurrency: number;
  readonly includeSync: boolean;
  readonly position: number;
  /** Whether a recovery has events left to queue. */
  readonly isRecovering: boolean;
  readonly leaseId: string;
}

/** What others tell the process that has the lease. */
export interface EndpointNews {
  /** How far there are events. */
  readonly wanted: number;
  /** Grows when deliveries are made due from outside. */
  readonly calls: number;
  /** Differs when the endpoint or its secrets were changed. */
  readonly version: string;
}

/** Leases up to `limit` endpoints with something to send, teams in turn. */
export async function leaseEndpoints(em: EntityManager, limit: number): Promise<readonly LeasedEndpoint[]> {
  const { rows } = await leaseRows<LeasedEndpoint>(em, ENDPOINTS, limit);
  return rows.map(row => ({
    ...row,
    failingSince: toDate(row.failingSince),
    lastSuccessAt: toDate(row.lastSuccessAt),
  }));
}

const toDate = (at: Date | string | null): Date | null => (at === null ? null : new Date(at));

/** Looks for news of an endpoint; undefined when this process has lost its lease. */
export async function readNews(em: EntityManager, { id, leaseId }: LeasedEndpoint): Promise<EndpointNews | undefined> {
  const rows = await executeBound<EndpointNews>(
    em.fork(),
    `select ${NEWS} from webhook_endpoints where id = $1 and lease_id = $2`,
    [id, leaseId],
  );
  return rows[0];
}

interface Release {
  /** What of the news was taken in. */
  readonly known: Pick<EndpointNews, 'calls' | 'version'>;
  /** How far the events were read. */
  readonly read: number;
  /** When it is due at the latest; null when only something new makes it due. */
  readonly dueAt: Date | null;
  /** When it is due at the earliest, after a fault of ours. */
  readonly notBefore: Date | null;
}

/**
 * Releases an endpoint: it is due when its next delivery is, for a failing one at `dueAt`, and at once where there is news
 * that was not taken in, or events that were not read.
 */
export async function releaseEndpoint(
  em: EntityManager,
  { id, leaseId }: LeasedEndpoint,
  { known, read, dueAt, notBefore }: Release,
): Promise<void> {
  await executeBound(
    em.fork(),
    `update webhook_endpoints
        set lease_id = null,
            due_at = case when status = 'disabled' then null else greatest($7::timestamptz, case
              when calls <> $3 or updated_at <> $4::text::timestamptz or (wanted_position > $5 and status = 'enabled')
                then clock_timestamp()
              when status = 'enabled' and exists (select from recoveries where endpoint_id = $1 and finished_at is null)
                then clock_timestamp() + interval '200 milliseconds'
              else least($6::timestamptz, case when status = 'enabled' then (
                select min(next_attempt_at) from webhook_deliveries where endpoint_id = $1 and next_attempt_at is not null) end)
            end) end
      where id = $1 and lease_id = $2`,
    [id, leaseId, known.calls, known.version, read, dueAt, notBefore],
  );
}

/** Has an endpoint looked at for deliveries that are due now, by whoever has its lease or gets it. */
export const callEndpoint = (tx: EntityManager, id: WebhookEndpointId) =>
  executeBound(
    tx,
    `update webhook_endpoints
        set calls = calls + 1, due_at = case when lease_id is null and status <> 'disabled' then clock_timestamp() else due_at end
      where id = $1`,
    [id],
  );
