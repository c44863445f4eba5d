import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId, WebhookEndpointId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type InFlight, type LeasedTable } from '@billing/database/lease-rows';
import type { EndpointHealth } from './endpoint-health.rules.ts';

/** Longer than an attempt takes, and the commit after it. */
export const LEASE_SECONDS = 60;

/** The columns of `EndpointNews`, of endpoints that the statement calls `name`. */
export const newsOf = (name: string): string => `
  ${name}.wanted_position::float8 as wanted, ${name}.calls, ${name}.updated_at::text as version,
  exists (select from recoveries r where r.endpoint_id = ${name}.id and r.finished_at is null) as "isRecovering"`;

const HEALTH = `status, disabled_reason as "disabledReason", failing_since as "failingSince", last_success_at as "lastSuccessAt",
  failures, failed_object as "failedObject", has_failed_two_objects as "hasFailedTwoObjects",
  is_warned as "isWarned"`;

/** Turns at the same time: those of all teams, and of a team, which may have 400 endpoints; some are kept for every team. */
export const TURNS = { ofAll: 1_000, ofTeam: 400, least: 5, isInFlight: 'lease_id is not null', weight: '1' };

const ENDPOINTS: LeasedTable = {
  table: 'webhook_endpoints',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `id, team_id as "teamId", project_id as "projectId", url, event_types as "eventTypes",
    max_concurrency as "maxConcurrency", include_sync as "includeSync", position::float8 as position, lease_id as "leaseId",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as "leasedAt", ${newsOf('webhook_endpoints')}, ${HEALTH}`,
  maxPerTeam: TURNS,
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

/** Leases up to `limit` endpoints with something to send, teams in turn; `underWay` are the turns of this process. */
export async function leaseEndpoints(
  em: EntityManager,
  limit: number,
  underWay: InFlight,
): Promise<readonly LeasedEndpoint[]> {
  const { rows } = await leaseRows<LeasedEndpoint>(em, ENDPOINTS, limit, underWay);
  return rows.map(row => ({
    ...row,
    failingSince: toDate(row.failingSince),
    lastSuccessAt: toDate(row.lastSuccessAt),
  }));
}

export const toDate = (at: Date | string | null): Date | null => (at === null ? null : new Date(at));

/** The condition that an endpoint gets an event by itself. */
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

/** Makes all that waits for an endpoint due: it has recovered. */
export const makeAllDue = (em: EntityManager, { id, teamId }: Pick<LeasedEndpoint, 'id' | 'teamId'>) =>
  executeBound(
    em.fork(),
    `update webhook_deliveries set next_attempt_at = statement_timestamp()
      where endpoint_id = $1 and team_id = $2 and next_attempt_at > statement_timestamp()`,
    [id, teamId],
  );

/** PostgreSQL's clock, by which deliveries are due, since an endpoint was leased: this machine's may differ. */
export function clockSince({ leasedAt }: Pick<LeasedEndpoint, 'leasedAt'>): () => Date {
  const since = performance.now();
  return () => new Date(leasedAt + performance.now() - since);
}
