import type { EntityManager } from '@mikro-orm/postgresql';
import { startLeaseLoop } from '@billing/database/lease-loop';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import type { ReconcileTeam } from '#operations/reconcile-team.ts';
import { leaseTeams, postponeTeam, type LeasedTeam } from '#persistence/reconciliations.ts';

/** Teams that one process scans at once: a slow one takes its own place and no other. */
const PARALLEL_TEAMS = 16;
/** How often to look for teams that are due, in milliseconds. */
const POLL_MS = 2_000;
/** After a failure a team is scanned again no sooner than this, in milliseconds; each further failure doubles it. */
const FAILURE_PAUSE_MS = 30_000;

interface ReconcilerParts {
  readonly em: EntityManager;
  readonly reconcile: ReconcileTeam;
  readonly logger: Logger;
  /** How often a team's events are scanned, in milliseconds. */
  readonly intervalMs: number;
  readonly pollMs?: number;
  /** While true, no team is leased: events that webhooks must not add must not come in this way either. */
  readonly isOverloaded?: IsOverloaded;
}

/**
 * Scans each team's events at Stripe at intervals for events that no webhook delivered. Any number of reconcilers may run
 * side by side. Returns a function that stops it after the pages under way.
 */
export function startReconciler(parts: ReconcilerParts): () => Promise<void> {
  const { em, reconcile, logger, intervalMs, pollMs = POLL_MS, isOverloaded = () => false } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;

  const reconcileOne = async (team: LeasedTeam): Promise<void> => {
    try {
      await reconcile(team, { pauseMs: withJitter(intervalMs), signal });
    } catch (err) {
      if (signal.aborted) return; // the lease ends, and another copy continues
      logger.warn({ err, teamId: team.teamId }, "team's events not scanned, will try again");
      const pauseMs = withJitter(Math.min(intervalMs, FAILURE_PAUSE_MS));
      await postponeTeam(em, team, pauseMs).catch((lost: unknown) =>
        logger.warn({ err: lost, teamId: team.teamId }, 'team not released, its lease will end'),
      );
    }
  };

  const loop = startLeaseLoop<LeasedTeam>({
    name: 'reconciliations',
    batchSize: PARALLEL_TEAMS,
    parallel: PARALLEL_TEAMS,
    lease: async limit => (isOverloaded() ? [] : leaseTeams(em, limit)),
    work: async ([team]) => {
      if (team) await reconcileOne(team);
    },
    intervalMs: pollMs,
    logger,
  });
  return async () => {
    stopping.abort();
    await loop.stop();
  };
}

/** Somewhat more or less, so that teams are not all due at once. */
const withJitter = (ms: number): number => ms * (0.8 + 0.4 * Math.random());
