import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import { turnJob } from '@billing/processor/turns';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { rejectUsage } from './reject-usage.ts';
import type { SendParts } from './send-usage.ts';

/** How long after usage was sent the processor may refuse it. */
const CHECKED_HOURS = 72;
const PAUSE_SECONDS = 60;
/** Longer than reading the reports of some days takes: each is a call. */
const LEASE_SECONDS = 900;
/** A report may be listed later than others: what was read before is read again for so long. */
const OVERLAP_MS = 3_600_000;

const CHECKS: LeasedTable = {
  table: 'usage_checks',
  key: ['team_id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `team_id as "teamId", lease_id as "leaseId", 
    (extract(epoch from coalesce(read_at, last_sent_at)) * 1000)::float8 as "readMs",
    last_sent_at < clock_timestamp() - interval '${CHECKED_HOURS} hours' as "isOver"`,
  maxPerTeam: 1,
};

/** A team whose reports this process reads. */
interface LeasedCheck {
  readonly teamId: TeamId;
  readonly leaseId: string;
  /** Until when reports were read. */
  readonly readMs: number;
  /** Whether nothing was sent lately. */
  readonly isOver: boolean;
}

/** Leases up to `limit` teams whose turn it is. */
export const leaseChecks = async (em: EntityManager, limit: number): Promise<readonly LeasedCheck[]> =>
  (await leaseRows<LeasedCheck>(em, CHECKS, limit)).rows;

/** Reads until stopped what the processor has refused of the usage that it had taken. */
export const usageChecks = (parts: SendParts) =>
  turnJob<LeasedCheck>({
    name: 'usage-checks',
    lease: limit => leaseChecks(parts.em, limit),
    run: checkUsage(parts),
    logger: parts.logger,
  });

/** Rejects what the processor has refused since the last time; after a failure, with the next one. */
export function checkUsage(parts: SendParts) {
  const { em, processors, now, logger } = parts;
  const reject = rejectUsage(parts);
  return async (check: LeasedCheck): Promise<void> => {
    const { teamId, readMs } = check;
    let readAt: Date | null = now();
    try {
      const processor = await processors.of(teamId);
      const errors = await processor.listUsageErrors(new Date(readMs - OVERLAP_MS));
      for (const { identifier, ...reason } of errors)
        await reject({ teamId, identifier }, { reason, cause: FOUND_AT_PROCESSOR });
    } catch (err) {
      logger.warn({ err, teamId }, 'usage not checked, will try again');
      readAt = null;
    }
    await release(em, check, readAt);
  };
}

/** Releases a team until its next turn; `readAt` is until when its reports were read, if they were. */
async function release(
  em: EntityManager,
  { teamId, leaseId, isOver }: LeasedCheck,
  readAt: Date | null,
): Promise<void> {
  const held = 'team_id = $1 and lease_id = $2';
  // What was sent meanwhile is checked.
  const isOverStill = `last_sent_at < clock_timestamp() - interval '${CHECKED_HOURS} hours'`;
  if (isOver && readAt)
    await executeBound(em.fork(), `delete from usage_checks where ${held} and ${isOverStill}`, [teamId, leaseId]);
  await executeBound(
    em.fork(),
    `update usage_checks
        set lease_id = null, read_at = coalesce($3, read_at), due_at = clock_timestamp() + make_interval(secs => ${PAUSE_SECONDS})
      where ${held}`,
    [teamId, leaseId, readAt],
  );
}
