import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import { currentTrace } from '@billing/messaging/trace-carrier';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { isDatabaseUnavailable } from '@billing/service/database';
import type { Logger } from 'pino';
import { checkEvent, type IncomingEvent } from '#domain/incoming-event.ts';
import { isUnderWay, searchesFor, type Search } from '#domain/missing-events.ts';
import { inGroups } from '@billing/messaging/in-groups';
import { storeEvents, type ReceivedEvent } from '#operations/store-events.ts';
import { finishTeam, keepTeam, type ClaimedTeam } from './claim-team.ts';

interface HealTeamParts {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  /** An event is left alone for so long: its webhook may be on its way. In milliseconds. */
  readonly graceMs: number;
}

export interface HealingTurn {
  /** How long to leave the team alone afterwards, in milliseconds. */
  readonly pauseMs: number;
  /** Ends the turn after the page in hand. */
  readonly signal: AbortSignal;
}

/**
 * Looks through a team's events at the processor for such as no webhook brought, and stores them as if one had; answers
 * how many. It looks at what the processor could not deliver and at everything since the last time, page by page, at
 * most 30 days back. No transaction is open while the processor is asked. A team that another healer has taken up
 * meanwhile is left to it.
 * @throws Problem when the processor is away or refuses; the signal's reason when it is aborted
 */
export function healTeam({ em, processors, logger, graceMs }: HealTeamParts) {
  const store = inGroups((received: readonly ReceivedEvent[]) => storeEvents(em, received));

  /** One event that cannot be kept must not keep the others from being found. */
  const storeOne = async (received: ReceivedEvent): Promise<number> => {
    try {
      return (await store(received)) === 'new' ? 1 : 0;
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
      logger.warn({ err, teamId, eventId: listed.id }, 'listed event is none that can be kept');
      return [];
    }
  };

  const takeIn = async (team: ClaimedTeam, events: readonly IncomingEvent[]): Promise<number> => {
    const known = await findKnown(em, team.teamId, events);
    const missing = events.filter(event => !known.has(event.id));
    const trace = currentTrace();
    const stored = await Promise.all(
      missing.map(event => storeOne({ teamId: team.teamId, event, trace, recovered: true })),
    );
    return stored.reduce((sum, count) => sum + count, 0);
  };

  const searchAll = async (team: ClaimedTeam, processor: Processor, search: Search, signal: AbortSignal) => {
    const { createdFrom, undeliveredOnly, isWanted } = search;
    let recovered = 0;
    let startingAfter: string | undefined;
    for (;;) {
      const page = await processor.listEvents({ createdFrom, undeliveredOnly, startingAfter });
      signal.throwIfAborted();
      if (!(await keepTeam(em, team))) return recovered;
      const settled = page.events
        .flatMap(listed => check(team.teamId, listed))
        .filter(({ type, createdAt }) => isWanted(type) && !isUnderWay(createdAt, team.claimedAt, graceMs));
      recovered += await takeIn(team, settled);
      startingAfter = page.events.at(-1)?.id;
      if (!page.hasMore || startingAfter === undefined) return recovered;
    }
  };

  return async (team: ClaimedTeam, { pauseMs, signal }: HealingTurn): Promise<number> => {
    const processor = await processors.of(team.teamId);
    await checkAccount(processor, team);
    let recovered = 0;
    for (const search of searchesFor(team, team.claimedAt))
      recovered += await searchAll(team, processor, search, signal);
    await finishTeam(em, team, new Date(team.claimedAt.getTime() - graceMs), pauseMs);
    if (recovered > 0) logger.info({ teamId: team.teamId, recovered }, 'events recovered that no webhook had brought');
    return recovered;
  };
}

/** A key that was replaced a moment ago may still be in memory: a new account must not count as looked through for it. */
async function checkAccount(processor: Processor, { accountId, lookedBack }: ClaimedTeam): Promise<void> {
  if (lookedBack) return;
  const found = await processor.findAccount();
  if (found.accountId !== accountId) throw unavailable('The credentials of the team are just being replaced.');
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
