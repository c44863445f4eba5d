import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId, WebhookEndpointId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { EndpointHealth } from '#domain/endpoint-health.ts';

/** Longer than an attempt takes, and the commit after it. */
export const LEASE_SECONDS = 60;

/** The columns of `EndpointNews`, of endpoints that the statement calls `name`. */
export const newsOf = (name: string): string => `wanted_position::float8 as wanted, calls, updated_at::text as version,
  exists (select from recoveries r where r.endpoint_id = ${name}.id and r.finished_at is null) as "isRecovering"`;

const HEALTH = `status, disabled_reason as "disabledReason", failing_since as "failingSince", last_success_at as "lastSuccessAt",
  failures, failed_object as "failedObject", has_failed_two_objects as "hasFailedTwoObjects",
  is_warned as "isWarned"`;

const ENDPOINTS: LeasedTable = {
  table: 'webhook_endpoints',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `id, team_id as "teamId", project_id as "projectId", url, event_types as "eventTypes",
    max_concurrency as "maxConcurrency", include_sync as "includeSync", position::float8 as position, lease_id as "leaseId",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as "leasedAt", ${newsOf('webhook_endpoints')}, ${HEALTH}`,
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
  readonly leaseId: string;
  /** By PostgreSQL's clock, in milliseconds. */
  readonly leasedAt: number;
}

/** What others tell the process that has the lease. */
export interface EndpointNews {
  /** How far there are events. */
  readonly wanted: number;
  /** Grows when deliveries are made due from outside. */
  readonly calls: number;
  /** Differs when the endpoint or its secrets were changed. */
  readonly version: string;
  /** Whether a recovery has events left to queue. */
  readonly isRecovering: boolean;
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

/** Looks for news of endpoints; null for those whose lease this process has lost. */
export async function readNews(
  em: EntityManager,
  endpoints: readonly LeasedEndpoint[],
): Promise<readonly (EndpointNews | null)[]> {
  const rows = await executeBound<EndpointNews & { readonly id: string; readonly leaseId: string }>(
    em,
    `select id, lease_id as "leaseId", ${newsOf('webhook_endpoints')} from webhook_endpoints where id = any($1::text[])`,
    [endpoints.map(({ id }) => id)],
  );
  const held = new Map(rows.map(({ id, leaseId, ...news }) => [`${id} ${leaseId}`, news]));
  return endpoints.map(({ id, leaseId }) => held.get(`${id} ${leaseId}`) ?? null);
}

/** How an endpoint is released. */
export interface Release {
  readonly endpoint: LeasedEndpoint;
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
 * Releases endpoints: one is due when its next delivery is, a failing one at `dueAt`, and at once where there is news that was
 * not taken in, or events that were not read.
 */
export async function releaseEndpoints(em: EntityManager, releases: readonly Release[]): Promise<void> {
  const rows = releases.map(({ endpoint: { id, leaseId }, known, ...release }) => ({
    id,
    leaseId,
    ...known,
    ...release,
  }));
  await executeBound(
    em,
    `with given as (
       select * from json_to_recordset($1::json) as g(
         id text, "leaseId" uuid, calls int, version text, read bigint, "dueAt" timestamptz, "notBefore" timestamptz)),
     locked as (
       select id from webhook_endpoints where id in (select id from given) order by id for update)
     update webhook_endpoints e
        set lease_id = null,
            due_at = case when status = 'disabled' then null else greatest("notBefore", case
              when e.calls <> g.calls or updated_at <> version::timestamptz or (wanted_position > read and status = 'enabled')
                then clock_timestamp()
              when status = 'enabled' and exists (select from recoveries where endpoint_id = e.id and finished_at is null)
                then clock_timestamp() + interval '200 milliseconds'
              else least("dueAt", case when status = 'enabled' then (
                select min(next_attempt_at) from webhook_deliveries where endpoint_id = e.id and next_attempt_at is not null) end)
            end) end
       from locked join given g using (id)
      where e.id = locked.id and e.lease_id = "leaseId"`,
    [JSON.stringify(rows)],
  );
}

/** The condition that an endpoint gets an event by itself; in memory `isWanted` says so. */
export const wants = (endpoint: string, event: string): string =>
  `(${endpoint}.include_sync or not ${event}.is_from_sync)
   and ${endpoint}.event_types && array['*', ${event}.type, substring(${event}.type from '^[^.]+') || '.*']`;

/** Has an endpoint looked at for deliveries that are due now, by whoever has its lease or gets it. */
export const callEndpoint = (tx: EntityManager, { id, teamId }: Pick<LeasedEndpoint, 'id' | 'teamId'>) =>
  executeBound(
    tx,
    `update webhook_endpoints
        set calls = calls + 1, due_at = case when lease_id is null and status <> 'disabled' then clock_timestamp() else due_at end
      where id = $1 and team_id = $2`,
    [id, teamId],
  );
