import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { extendLease, leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { ScanProgress } from './missing-events.rules.ts';

/** How long a lease holds unless it is extended: longer than one call to Stripe may take with its retries. */
const LEASE_SECONDS = 60;
/** After failures a team is scanned again at least this often, in milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000;

const RECONCILIATIONS: LeasedTable = {
  table: 'reconciliations',
  key: ['team_id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `team_id as "teamId", account_id as "accountId", has_backfilled as "hasBackfilled", lease_id as "leaseId",
    (extract(epoch from scanned_until) * 1000)::float8 as "scannedMs",
    (select (extract(epoch from max(restored_at)) * 1000)::float8 from restores) as "restoredMs",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as "leasedMs"`,
};

/** A team whose events this process scans. */
export interface LeasedTeam extends ScanProgress {
  readonly teamId: TeamId;
  /** The Stripe account whose events are scanned. */
  readonly accountId: string;
  readonly leaseId: string;
  /** By the database's clock. */
  readonly leasedAt: Date;
}

interface LeasedRow extends Omit<LeasedTeam, 'scannedUntil' | 'restoredAt' | 'leasedAt'> {
  readonly scannedMs: number;
  readonly restoredMs: number | null;
  readonly leasedMs: number;
}

/** Leases up to `limit` connected teams whose events are due to be scanned. */
export async function leaseTeams(em: EntityManager, limit: number): Promise<LeasedTeam[]> {
  const { rows } = await leaseRows<LeasedRow>(em, RECONCILIATIONS, limit);
  return rows.map(({ scannedMs, restoredMs, leasedMs, ...team }) => ({
    ...team,
    scannedUntil: new Date(scannedMs),
    restoredAt: restoredMs === null ? null : new Date(restoredMs),
    leasedAt: new Date(leasedMs),
  }));
}

/** Extends the lease of a team; false when another copy has leased it meanwhile. */
export async function extendTeam(em: EntityManager, { teamId, leaseId }: LeasedTeam): Promise<boolean> {
  const keys = [{ team_id: teamId }];
  const held = await extendLease(em.fork(), RECONCILIATIONS, { leaseId, keys, seconds: LEASE_SECONDS });
  return held.length > 0;
}

/**
 * Releases a team that was scanned until then, or null when it could not be, to be scanned again after a pause in milliseconds;
 * each failure in a row doubles the pause, up to an hour.
 */
export async function releaseTeam(
  em: EntityManager,
  { teamId, leaseId }: LeasedTeam,
  scannedUntil: Date | null,
  pauseMs: number,
): Promise<void> {
  const hasFailed = scannedUntil === null;
  await executeBound(
    em.fork(),
    `update reconciliations
        set lease_id = null, scanned_until = greatest(scanned_until, $3::timestamptz),
            has_backfilled = has_backfilled or not $4, failures = case when $4 then failures + 1 else 0 end,
            due_at = clock_timestamp() + make_interval(secs => case
              when $4 then least($5::float8 * 2 ^ least(failures, 12), ${LONGEST_PAUSE_MS}) else $5::float8 end / 1000)
      where team_id = $1 and lease_id = $2`,
    [teamId, leaseId, scannedUntil, hasFailed, pauseMs],
  );
}

/** Scans a team's events no more until it is connected again, in the transaction that disconnects it. */
export async function pauseTeam(tx: EntityManager, teamId: TeamId): Promise<void> {
  await tx.execute(`update reconciliations set due_at = 'infinity', lease_id = null where team_id = ?`, [teamId]);
}

/**
 * Makes a team due, in the transaction that connects it: what failed before may succeed with a new key. A scan of another
 * account, or the first one, starts at the time of the connection; a scan under way loses its lease then.
 */
export async function makeTeamDue(tx: EntityManager, teamId: TeamId, accountId: string): Promise<void> {
  await tx.execute(
    `insert into reconciliations as known (team_id, account_id, scanned_until, has_backfilled, due_at, failures)
     values (?, ?, clock_timestamp(), false, clock_timestamp(), 0)
     on conflict (team_id) do update set
       account_id = excluded.account_id, due_at = excluded.due_at, failures = 0,
       lease_id = case when known.account_id = excluded.account_id then known.lease_id end,
       scanned_until = case when known.account_id = excluded.account_id then known.scanned_until else excluded.scanned_until end,
       has_backfilled = known.has_backfilled and known.account_id = excluded.account_id`,
    [teamId, accountId],
  );
}
