import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import { openBatcher } from '@billing/messaging/batcher';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { isDatabaseUnavailable } from '@billing/database/database';
import type { Logger } from 'pino';
import { checkEvent, type IncomingEvent } from '#domain/incoming-event.ts';
import { isRecent, scansFor, type Scan } from '#domain/missing-events.ts';
import { extendTeam, finishTeam, type LeasedTeam } from '#persistence/reconciliations.ts';
import type { ContinueTrace } from '#pipeline/continue-trace.ts';
import type { ReceivedEvent, Stored } from '#pipeline/store.ts';

interface ReconcileTeamParts {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly store: (received: readonly ReceivedEvent[]) => Promise<readonly Stored[]>;
  readonly continueTrace: ContinueTrace;
  readonly logger: Logger;
  /** Events younger than this are left to their webhooks, in milliseconds. */
  readonly graceMs: number;
}

interface ReconcileOptions {
  /** How long to leave the team alone afterwards, in milliseconds. */
  readonly pauseMs: number;
  /** Stops after the page under way. */
  readonly signal: AbortSignal;
}

/** Reconciles a team's events, releases the team, and returns how many events were recovered. */
export type ReconcileTeam = (team: LeasedTeam, options: ReconcileOptions) => Promise<number>;

/**
 * Scans a team's events at Stripe for events that no webhook delivered, and stores them as if one had. It scans those that
 * Stripe could not deliver and all since the last scan, page by page, at most 30 days back. No transaction is open while
 * Stripe is called. A team that another copy has leased meanwhile is left to it.
 * @throws Problem when Stripe is unavailable or refuses; the signal's reason when it is aborted
 */
export function reconcileTeam(parts: ReconcileTeamParts): ReconcileTeam {
  const { em, processors, store, continueTrace, logger, graceMs } = parts;
  const storeBatched = openBatcher(store);

  /** One event that can't be stored must not keep the others from being found. */
  const storeOne = async (received: ReceivedEvent): Promise<number> => {
    try {
      return (await storeBatched(received)) === 'new' ? 1 : 0;
    } catch (err) {
      if (isDatabaseUnavailable(err)) throw err;
      const { teamId, event } = received;
      logger.error({ err, teamId, eventId: event.id, type: event.type }, 'listed event not stored');
      return 0;
    }
  };

  const check = (teamId: TeamId, listed: { readonly id: string }): IncomingEvent[] => {
    try {
      return [checkEvent(listed)];
    } catch (err) {
      if (!(err instanceof Problem)) throw err;
      logger.warn({ err, teamId, eventId: listed.id }, 'listed event is invalid');
      return [];
    }
  };

  const storeMissing = async (team: LeasedTeam, events: readonly IncomingEvent[]): Promise<number> => {
    const known = await findKnown(em, team.teamId, events);
    const missing = events.filter(event => !known.has(event.id));
    const { teamId } = team;
    const counts = await Promise.all(
      missing.map(event => continueTrace(teamId, event, trace => storeOne({ teamId, event, trace, recovered: true }))),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

  const runScan = async (team: LeasedTeam, processor: Processor, scan: Scan, signal: AbortSignal) => {
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

  return async (team, { pauseMs, signal }) => {
    const processor = await processors.of(team.teamId);
    await checkAccount(processor, team);
    let recovered = 0;
    for (const scan of scansFor(team, team.leasedAt)) recovered += await runScan(team, processor, scan, signal);
    await finishTeam(em, team, new Date(team.leasedAt.getTime() - graceMs), pauseMs);
    if (recovered > 0) logger.info({ teamId: team.teamId, recovered }, 'events recovered that no webhook delivered');
    return recovered;
  };
}

/** A replaced key may still be in memory: its account must not count as the new one's. */
async function checkAccount(processor: Processor, { accountId, hasBackfilled }: LeasedTeam): Promise<void> {
  if (hasBackfilled) return;
  const found = await processor.findAccount();
  if (found.accountId !== accountId) throw unavailable("The team's credentials are being replaced.");
}

async function findKnown(
  em: EntityManager,
  teamId: TeamId,
  events: readonly IncomingEvent[],
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const rows = await em.fork().execute<{ id: string }[]>(
    `select e.id from webhook_events e join jsonb_array_elements_text(?::jsonb) as listed(id) on listed.id = e.id
      where e.team_id = ?`,
    [JSON.stringify(events.map(({ id }) => id)), teamId],
  );
  return new Set(rows.map(({ id }) => id));
}
