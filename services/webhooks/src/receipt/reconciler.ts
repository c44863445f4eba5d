import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { isDatabaseUnavailable } from '@billing/database/database';
import { startLeaseLoop } from '@billing/database/lease-loop';
import { openBatcher } from '@billing/messaging/batcher';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { storageFull } from '../storage-quota.ts';
import { readSnapshot, type IncomingEvent } from './incoming-event.rules.ts';
import { isRecent, scansFor, type Scan } from './missing-events.rules.ts';
import { extendTeam, leaseTeams, releaseTeam, type LeasedTeam } from './reconciliations.ts';
import type { ContinueTrace } from './continue-trace.ts';
import { BATCH, type ReceivedEvent, type Stored } from './store.ts';

/** Teams that one process scans at once: a slow one takes its own place and no other. */
const PARALLEL_TEAMS = 16;
/** How often to look for teams that are due, in milliseconds. */
const POLL_MS = 2_000;
/** After a failure a team is scanned again no sooner than this, in milliseconds; each further failure doubles it. */
const FAILURE_PAUSE_MS = 30_000;

interface ReconcilerParts {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly store: (received: readonly ReceivedEvent[]) => Promise<readonly Stored[]>;
  readonly continueTrace: ContinueTrace;
  readonly logger: Logger;
  /** Events younger than this are left to their webhooks, in milliseconds. */
  readonly graceMs: number;
  /** How often a team's events are scanned, in milliseconds. */
  readonly intervalMs: number;
  readonly pollMs?: number;
  /** While true, no team is leased: events that webhooks must not add must not come in this way either. */
  readonly isOverloaded?: IsOverloaded;
}

/**
 * Scans each team's events at Stripe at intervals for events that no webhook delivered, and stores them as if one had. It scans
 * those that Stripe could not deliver and all since the last scan, page by page, at most 30 days back. No transaction is open
 * while Stripe is called. Any number of reconcilers may run side by side.
 */
export function openReconciler(parts: ReconcilerParts) {
  const { em, processors, store, continueTrace, logger, graceMs, intervalMs } = parts;
  const { pollMs = POLL_MS, isOverloaded = () => false } = parts;
  const storeBatched = openBatcher(store, BATCH);
  const stopping = new AbortController();
  const { signal } = stopping;

  /** One event that can't be stored must not keep the others from being found; without room the scan is repeated later. */
  const storeOne = async (received: ReceivedEvent): Promise<number> => {
    try {
      const stored = await storeBatched(received);
      if (stored !== 'full') return stored === 'new' ? 1 : 0;
    } catch (err) {
      if (isDatabaseUnavailable(err)) throw err;
      const { teamId, event } = received;
      logger.error({ err, teamId, eventId: event.id, type: event.type }, 'listed event not stored');
      return 0;
    }
    throw storageFull();
  };

  const check = (teamId: TeamId, listed: { readonly id: string }): IncomingEvent[] => {
    const read = readSnapshot(listed);
    if (!('reason' in read)) return [read];
    logger.warn({ teamId, eventId: listed.id, reason: read.reason }, 'listed event is invalid');
    return [];
  };

  const storeMissing = async ({ teamId, accountId }: LeasedTeam, events: readonly IncomingEvent[]): Promise<number> => {
    const from = { accountId, secretId: null };
    const known = await findKnown(em, teamId, events);
    const missing = events.filter(event => !known.has(event.id));
    const counts = await Promise.all(
      missing.map(event => continueTrace(teamId, event, trace => storeOne({ teamId, event, trace, from }))),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

  /** A team that another copy has leased meanwhile is left to it. */
  const runScan = async (team: LeasedTeam, processor: Processor, scan: Scan): Promise<number> => {
    const { createdFrom, undeliveredOnly, isWanted } = scan;
    let recovered = 0;
    let startingAfter: string | undefined;
    for (;;) {
      const page = await processor.listEvents({ createdFrom, undeliveredOnly, startingAfter });
      signal.throwIfAborted();
      if (!(await extendTeam(em, team))) return recovered;
      const overdue = page.events
        .flatMap(listed => check(team.teamId, listed))
        .filter(({ type, createdAt }) => isWanted(type) && !isRecent(createdAt, team.leasedAt, graceMs));
      recovered += await storeMissing(team, overdue);
      startingAfter = page.events.at(-1)?.id;
      if (!page.hasMore || startingAfter === undefined) return recovered;
    }
  };

  /**
   * Reconciles a team's events, releases the team, and returns how many events were recovered.
   * @throws Problem when Stripe is unavailable or refuses; the signal's reason when the reconciler is stopped
   */
  const reconcile = async (team: LeasedTeam): Promise<number> => {
    const { teamId, leasedAt } = team;
    const processor = await processors.of(teamId);
    await checkAccount(processor, team);
    let recovered = 0;
    for (const scan of scansFor(team, leasedAt)) recovered += await runScan(team, processor, scan);
    await releaseTeam(em, team, new Date(leasedAt.getTime() - graceMs), withJitter(intervalMs));
    if (recovered > 0) logger.info({ teamId, recovered }, 'events recovered that no webhook delivered');
    return recovered;
  };

  const reconcileOrPostpone = async (team: LeasedTeam): Promise<void> => {
    const { teamId } = team;
    try {
      await reconcile(team);
    } catch (err) {
      if (signal.aborted) return; // the lease ends, and another copy continues
      logger.warn({ err, teamId }, "team's events not scanned, will try again");
      const pauseMs = withJitter(Math.min(intervalMs, FAILURE_PAUSE_MS));
      await releaseTeam(em, team, null, pauseMs).catch((lost: unknown) =>
        logger.warn({ err: lost, teamId }, 'team not released, its lease will end'),
      );
    }
  };

  return {
    reconcile,
    /** Returns a function that stops it after the pages under way. */
    start(): () => Promise<void> {
      const loop = startLeaseLoop<LeasedTeam>({
        name: 'reconciliations',
        batchSize: PARALLEL_TEAMS,
        parallel: PARALLEL_TEAMS,
        lease: async limit => (isOverloaded() ? [] : leaseTeams(em, limit)),
        work: async ([team]) => team && reconcileOrPostpone(team),
        intervalMs: pollMs,
        logger,
      });
      return async () => {
        stopping.abort();
        await loop.stop();
      };
    },
  };
}

/** Somewhat more or less, so that teams are not all due at once. */
const withJitter = (ms: number): number => ms * (0.8 + 0.4 * Math.random());

/** A replaced key may still be in memory: its account must not count as the new one's. */
async function checkAccount(processor: Processor, { accountId, hasBackfilled }: LeasedTeam): Promise<void> {
  if (hasBackfilled) return;
  const found = await processor.findAccount();
  if (found.accountId !== accountId) throw unavailable("The team's credentials are being replaced.");
}

async function findKnown(em: EntityManager, teamId: TeamId, events: readonly IncomingEvent[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const ids = events.map(({ id }) => id);
  const rows = await executeBound<{ id: string }>(
    em.fork(),
    `select e.id from unnest($2::text[]) as listed(id) join webhook_events e on e.team_id = $1 and e.id = listed.id`,
    [teamId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
