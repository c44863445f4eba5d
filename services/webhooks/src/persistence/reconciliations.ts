import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { extendLease, leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { ScanProgress } from '#domain/missing-events.ts';

/** How long a lease holds unless it is extended: longer than one call to Stripe may take with its retries. */
const LEASE_SECONDS = 60;
/** After failures a team is scanned again at least this often, in milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000;

const RECONCILIATIONS: LeasedTable = {
  table: 'reconciliations',
  key: ['team_id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `team_id, account_id, has_backfilled, (extract(epoch from scanned_until) * 1000)::float8 as scanned_ms,
    (select (extract(epoch from max(restored_at)) * 1000)::float8 from restores) as restored_ms,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as leased_ms`,
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

interface LeasedRow {
  readonly team_id: TeamId;
  readonly account_id: string;
  readonly scanned_ms: number;
  readonly has_backfilled: boolean;
  readonly restored_ms: number | null;
  readonly leased_ms: number;
}

/** Leases up to `limit` connected teams whose events are due to be scanned. */
export async function leaseTeams(em: EntityManager, limit: number): Promise<LeasedTeam[]> {
  const { leaseId, rows } = await leaseRows<LeasedRow>(em, RECONCILIATIONS, limit);
  return rows.map(row => ({
    teamId: row.team_id,
    accountId: row.account_id,
    leaseId,
    scannedUntil: new Date(row.scanned_ms),
    hasBackfilled: row.has_backfilled,
    restoredAt: row.restored_ms === null ? null : new Date(row.restored_ms),
    leasedAt: new Date(row.leased_ms),
  }));
}

/** Extends the lease of a team; false when another copy has leased it meanwhile. */
export async function extendTeam(em: EntityManager, { teamId, leaseId }: LeasedTeam): Promise<boolean> {
  const keys = [{ team_id: teamId }];
  const held = await extendLease(em.fork(), RECONCILIATIONS, { leaseId, keys, seconds: LEASE_SECONDS });
  return held.length > 0;
}

/** Releases a team that was scanned until `scannedUntil`, to be scanned again after a pause. */
export async function finishTeam(
  em: EntityManager,
  { teamId, leaseId }: LeasedTeam,
  scannedUntil: Date,
  pauseMs: number,
): Promise<void> {
  await em.fork().execute(
    `update reconciliations
        set lease_id = null, scanned_until = greatest(scanned_until, ?::timestamptz), has_backfilled = true, failures = 0,
            due_at = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
      where team_id = ? and lease_id = ?`,
    [scannedUntil.toISOString(), pauseMs, teamId, leaseId],
  );
}

/** Releases a team that could not be scanned; each failure in a row doubles the pause, up to an hour. */
export async function postponeTeam(em: EntityManager, { teamId, leaseId }: LeasedTeam, pauseMs: number): Promise<void> {
  await em.fork().execute(
    `update reconciliations
        set lease_id = null, failures = failures + 1,
            due_at = clock_timestamp()
              + make_interval(secs => least(?::float8 * 2 ^ least(failures, 12), ${LONGEST_PAUSE_MS}) / 1000)
      where team_id = ? and lease_id = ?`,
    [pauseMs, teamId, leaseId],
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
