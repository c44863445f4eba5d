import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { Progress } from '#domain/missing-events.ts';

/** How long a claim holds between two signs of life: longer than one call to the processor may take with its repeats. */
const CLAIM_SECONDS = 60;
/** After a crash or failures a team is looked at again at least this often, in milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000;

/** A team in the hands of one healer. */
export interface ClaimedTeam extends Progress {
  readonly teamId: TeamId;
  /** The account at the processor whose events are meant. */
  readonly accountId: string;
  /** Proves who holds it. */
  readonly claimId: string;
  /** When it was claimed, by the database's clock. */
  readonly claimedAt: Date;
}

interface ClaimedRow {
  readonly team_id: TeamId;
  readonly account_id: string;
  readonly healed_ms: number;
  readonly looked_back: boolean;
  readonly claimed_ms: number;
}

/**
 * Takes up to `limit` connected teams whose events are due to be looked through, the longest due first. Claims of
 * several healers never overlap. A team that was never looked at, or has another account now, begins where it connected.
 */
export async function claimTeams(em: EntityManager, limit: number): Promise<ClaimedTeam[]> {
  const claimId = randomUUID();
  const rows = await em.fork().execute<ClaimedRow[]>(
    `insert into healing_cursors as known
       (team_id, account_id, healed_until, looked_back, claim_id, due_at, failures)
     select a.team_id, a.account_id, a.updated_at, false, ?::uuid,
            clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), 0
       from processor_accounts a left join healing_cursors c on c.team_id = a.team_id
      where c.due_at is null or c.due_at <= clock_timestamp()
      order by c.due_at nulls first, a.team_id limit ?
     on conflict (team_id) do update set
       claim_id = excluded.claim_id, due_at = excluded.due_at, account_id = excluded.account_id,
       healed_until = case when known.account_id = excluded.account_id then known.healed_until else excluded.healed_until end,
       looked_back = known.looked_back and known.account_id = excluded.account_id
     where known.due_at <= clock_timestamp()
     returning team_id, account_id, looked_back, (extract(epoch from healed_until) * 1000)::float8 as healed_ms,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as claimed_ms`,
    [claimId, limit],
  );
  return rows.map(row => ({
    teamId: row.team_id,
    accountId: row.account_id,
    claimId,
    healedUntil: new Date(row.healed_ms),
    lookedBack: row.looked_back,
    claimedAt: new Date(row.claimed_ms),
  }));
}

/** Holds a team for longer; false when another healer has taken it up meanwhile. */
export async function keepTeam(em: EntityManager, { teamId, claimId }: ClaimedTeam): Promise<boolean> {
  const rows = await em.fork().execute<unknown[]>(
    `update healing_cursors set due_at = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
      where team_id = ? and claim_id = ? returning 1`,
    [teamId, claimId],
  );
  return rows.length > 0;
}

/** Gives a team back that was looked through until `healedUntil`, to be looked at again after a pause. */
export async function finishTeam(
  em: EntityManager,
  { teamId, claimId }: ClaimedTeam,
  healedUntil: Date,
  pauseMs: number,
): Promise<void> {
  await em.fork().execute(
    `update healing_cursors
        set claim_id = null, healed_until = greatest(healed_until, ?::timestamptz), looked_back = true, failures = 0,
            due_at = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
      where team_id = ? and claim_id = ?`,
    [healedUntil.toISOString(), pauseMs, teamId, claimId],
  );
}

/** Gives a team back that could not be looked through; each failure in a row doubles the pause, up to an hour. */
export async function postponeTeam(
  em: EntityManager,
  { teamId, claimId }: ClaimedTeam,
  pauseMs: number,
): Promise<void> {
  await em.fork().execute(
    `update healing_cursors
        set claim_id = null, failures = failures + 1,
            due_at = clock_timestamp()
              + make_interval(secs => least(?::float8 * 2 ^ least(failures, 12), ${LONGEST_PAUSE_MS}) / 1000)
      where team_id = ? and claim_id = ?`,
    [pauseMs, teamId, claimId],
  );
}

/** Has a team looked at as soon as possible, in the caller's transaction: what failed before may go well with a new key. */
export async function makeTeamDue(tx: EntityManager, teamId: TeamId): Promise<void> {
  await tx.execute(`update healing_cursors set due_at = clock_timestamp(), failures = 0 where team_id = ?`, [teamId]);
}
