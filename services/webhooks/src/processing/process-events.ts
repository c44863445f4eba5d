import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { ROUTING_PAUSES_MS } from '#domain/back-off.ts';
import { decideRoute, type Route } from '#domain/route.ts';
import { keepRawObjects } from '#team-schema/keep-raw-objects.ts';
import type { askRoute } from './ask-route.ts';
import { keepClaimed, type ClaimedEvent } from './claim.ts';
import { findKnownRoutes, type KnownRoutes } from './known-routes.ts';
import { publish, type RoutedEvent } from './publish.ts';
import { isAway, putBack, putBackAfterError } from './put-back.ts';

const UNROUTABLE = 'unroutable: neither its metadata nor a known id nor its customer leads to a project of this team';

const NEVER_ENDED = 'unroutable: no attempt came to an end; the process may have died of it';

const GIVE_BACK_PAUSES_MS = [200, 800, 2_000];

interface ProcessEventsParts {
  readonly em: EntityManager;
  readonly ask: ReturnType<typeof askRoute>;
  readonly logger: Logger;
  /** Between attempts at finding an event's project, in milliseconds; after one more attempt it has failed. */
  readonly pausesMs?: readonly number[] | undefined;
}

/** Work that goes on after the batch: events for whose project others have to be asked. */
export type Asking = () => Promise<void>;

/**
 * Does what is to be done on claimed events: their raw objects go into the team's schema, those whose project is known
 * are published, and for each of the others an errand is answered that asks elsewhere. A batch that fails is done
 * event by event, and an event that fails alone is put back.
 */
export function processEvents({ em, ask, logger, pausesMs = ROUTING_PAUSES_MS }: ProcessEventsParts) {
  const maxAttempts = pausesMs.length + 1;

  const processBatch = async (claimed: readonly ClaimedEvent[]): Promise<Asking[]> => {
    const events = claimed.filter(({ attempt }) => attempt <= maxAttempts);
    const spent = claimed.filter(({ attempt }) => attempt > maxAttempts);
    await putBack(
      em,
      spent.map(event => ({ event, error: NEVER_ENDED })),
      pausesMs,
    );
    await keepRawObjects(em, events);
    const knownRoutes = await findKnownRoutes(em, events);
    const { routed, unclear } = divide(events, knownRoutes);
    await publish(em, routed);
    if (unclear.length === 0) return [];
    const held = await keepClaimed(em, unclear);
    return held.map(event => () => askAndPublish(event, knownRoutes));
  };

  const askAndPublish = async (event: ClaimedEvent, knownRoutes: KnownRoutes): Promise<void> => {
    try {
      const route = (await ask(event, knownRoutes)) ?? (await routeByNow(event));
      if (route) await publish(em, [{ event, route }]);
      else await putBack(em, [{ event, error: UNROUTABLE }], pausesMs);
    } catch (err) {
      await afterError(event, err);
    }
  };

  /** A fact may have arrived while others were asked; it could not wake an event that was in hand. */
  const routeByNow = async (event: ClaimedEvent): Promise<Route | null> => {
    const { routed } = divide([event], await findKnownRoutes(em, [event]));
    return routed[0]?.route ?? null;
  };

  const afterError = async (event: ClaimedEvent, err: unknown): Promise<void> => {
    const { id: eventId, type, teamId, attempt } = event;
    logger.warn({ err, eventId, type, teamId, attempt }, 'event not routed, will be tried again');
    await giveBack([event], err);
  };

  /** Tries for some seconds, since the database may be what is away; after that the claims run out. */
  const giveBack = async (events: readonly ClaimedEvent[], err: unknown): Promise<void> => {
    for (const pauseMs of [...GIVE_BACK_PAUSES_MS, null]) {
      try {
        return await putBackAfterError(em, events, err, pausesMs);
      } catch (lost) {
        if (pauseMs === null) logger.warn({ err: lost }, 'events not put back, their claims will run out');
        else await pause(pauseMs);
      }
    }
  };

  return async (events: readonly ClaimedEvent[]): Promise<Asking[]> => {
    try {
      return await processBatch(events);
    } catch (err) {
      if (isAway(err)) {
        logger.warn({ err, events: events.length }, 'events not worked off while something is away');
        await giveBack(events, err);
        return [];
      }
      return oneByOne(events, processBatch, afterError);
    }
  };
}

async function oneByOne(
  events: readonly ClaimedEvent[],
  processBatch: (events: readonly ClaimedEvent[]) => Promise<Asking[]>,
  afterError: (event: ClaimedEvent, err: unknown) => Promise<void>,
): Promise<Asking[]> {
  const rpc: Asking[] = [];
  for (const event of events) {
    try {
      rpc.push(...(await processBatch([event])));
    } catch (err) {
      await afterError(event, err);
    }
  }
  return rpc;
}

function divide(events: readonly ClaimedEvent[], knownRoutes: KnownRoutes) {
  const routed: RoutedEvent[] = [];
  const unclear: ClaimedEvent[] = [];
  for (const event of events) {
    const decision = decideRoute(event.hints, { ...knownRoutes(event.teamId), customerNames: undefined });
    if (decision.kind === 'route') routed.push({ event, route: decision.route });
    else unclear.push(event);
  }
  return { routed, unclear };
}
