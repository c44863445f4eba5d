import type { EntityManager } from '@mikro-orm/postgresql';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { claimTeams, postponeTeam, type ClaimedTeam } from './claim-team.ts';
import type { HealingTurn } from './heal-team.ts';

/** Teams that one process looks after at once: a slow one holds its own place and no other. */
const MAX_IN_HAND = 16;
/** How often to look for teams that are due, in milliseconds. */
const LOOK_MS = 2_000;
/** After a failure a team is looked at again no sooner than this, in milliseconds; each further one doubles it. */
const FAILURE_PAUSE_MS = 30_000;

interface HealerParts {
  readonly em: EntityManager;
  /** Looks through a team's events and gives the team back; answers how many were recovered. */
  readonly heal: (team: ClaimedTeam, turn: HealingTurn) => Promise<number>;
  /** Hears that there is new work on events. */
  readonly onRecovered: () => void;
  readonly logger: Logger;
  /** How often a team's events are looked through, in milliseconds. */
  readonly intervalMs: number;
  readonly lookMs?: number;
  /** While it says so, no team is taken up: what webhooks may not bring must not come in this way. */
  readonly isOverloaded?: IsOverloaded;
}

/**
 * Looks from time to time through each team's events at the processor for such as no webhook brought, until stopped.
 * Any number of healers may run side by side. Answers the function that stops it, after the teams in hand.
 */
export function startHealer(parts: HealerParts): () => Promise<void> {
  const { em, heal, onRecovered, logger, intervalMs, lookMs = LOOK_MS, isOverloaded = () => false } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const inHand = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;

  const healOne = async (team: ClaimedTeam): Promise<void> => {
    try {
      const recovered = await heal(team, { pauseMs: withJitter(intervalMs), signal });
      if (recovered > 0) onRecovered();
    } catch (err) {
      if (signal.aborted) return; // the claim runs out, and a copy that goes on takes the team up
      logger.warn({ err, teamId: team.teamId }, 'events at the processor not looked through, will try again');
      const pauseMs = withJitter(Math.min(intervalMs, FAILURE_PAUSE_MS));
      await postponeTeam(em, team, pauseMs).catch((lost: unknown) =>
        logger.warn({ err: lost, teamId: team.teamId }, 'team not put back, its claim will run out'),
      );
    }
  };

  const look = async (): Promise<void> => {
    const room = MAX_IN_HAND - inHand.size;
    if (room <= 0 || isOverloaded()) return;
    for (const team of await claimTeams(em, room)) {
      const healing = healOne(team).finally(() => inHand.delete(healing));
      inHand.add(healing);
    }
  };

  const timer = setInterval(() => {
    looking ??= look()
      .catch((err: unknown) => logger.warn({ err }, 'teams to look after not found, will try again'))
      .finally(() => (looking = undefined));
  }, lookMs);

  return async () => {
    clearInterval(timer);
    stopping.abort();
    await looking;
    await Promise.all(inHand);
  };
}

/** Somewhat more or less, so that teams do not all fall due at once. */
const withJitter = (ms: number): number => ms * (0.8 + 0.4 * Math.random());
