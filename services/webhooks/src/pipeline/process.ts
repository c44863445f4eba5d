import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { isUnavailable } from '@billing/messaging/consumer/dead-letter';
import { semaphore } from '@billing/messaging/semaphore';
import { withBatchSpan } from '@billing/messaging/spans';
import type { Logger } from 'pino';
import { isForeignAfter, ROUTING_PAUSES_MS } from '#domain/back-off.ts';
import { openTeamSchemas } from '#persistence/team-schema.ts';
import { readRoutes, type Routes } from '#persistence/routes.ts';
import { holdForRouting, type LeasedEvent } from './lease.ts';
import type { LookUps } from './look-up-route.ts';
import { mirrorObjects } from './mirror.ts';
import {
  attemptOf,
  completeMirrored,
  ignoreForeign,
  postpone,
  postponeAfterError,
  releaseUncounted,
} from './postpone.ts';
import type { EventPublisher } from './publish.ts';
import { divideByRoute, recordRoutes } from './route.ts';

const NO_PROJECT = 'unroutable: neither its metadata nor a known id nor its customer leads to a project of this team';
const NEVER_FINISHED = 'unroutable: no attempt finished; the event may have crashed the process';
/** Pauses between attempts to release events while the database is unavailable. */
const RELEASE_PAUSES_MS = [200, 800, 2_000];
/** Events of a team whose route is looked up elsewhere at the same time. */
const PARALLEL_LOOK_UPS = 16;
/** With those that wait for their turn: so few that their leases last. */
const MAX_LOOK_UPS = 128;

interface ProcessParts {
  readonly em: EntityManager;
  readonly lookUps: LookUps;
  readonly publisher: EventPublisher;
  readonly logger: Logger;
  /** Between attempts to find an event's project, in milliseconds; after one more attempt it has failed. */
  readonly pausesMs?: readonly number[] | undefined;
}

/** Processes batches of leased events; those whose project must be looked up elsewhere are finished on the side. */
export interface EventProcessor {
  readonly process: (events: readonly LeasedEvent[]) => Promise<void>;
  /** Fulfilled when nothing is looked up any more. */
  readonly idle: () => Promise<void>;
}

/**
 * Processes leased webhook events: mirrors their objects, routes and publishes them. A batch that fails is processed
 * event by event, and an event that fails alone is postponed.
 */
export function openEventProcessor(parts: ProcessParts): EventProcessor {
  const { em, lookUps, publisher, logger, pausesMs = ROUTING_PAUSES_MS } = parts;
  const maxAttempts = pausesMs.length + 1;
  const schemas = openTeamSchemas(em);
  /** By team: one whose account is slow delays no other. */
  const lookUpsOf = new Map<TeamId, { readonly limit: ReturnType<typeof semaphore>; running: number }>();
  const running = new Set<Promise<void>>();

  const processBatch = (leased: readonly LeasedEvent[]): Promise<void> =>
    withBatchSpan(
      'webhook-events',
      leased.map(({ trace }) => trace),
      () => processInSpan(leased),
    );

  const processInSpan = async (leased: readonly LeasedEvent[]): Promise<void> => {
    const { spent = [], others = [] } = Object.groupBy(leased, event =>
      !event.route && attemptOf(event) > maxAttempts ? 'spent' : 'others',
    );
    await postpone(
      em,
      spent.map(event => ({ event, error: NEVER_FINISHED })),
      pausesMs,
    );
    if (others.length === 0) return;
    const { recorded, unclear, routes } = await mirrorAndRoute(others);
    await publisher.publish(recorded);
    await startLookUps(unclear, routes);
  };

  const mirrorAndRoute = async (events: readonly LeasedEvent[]) => {
    await schemas.ensure(events.map(({ teamId }) => teamId));
    const run = () =>
      em.fork().transactional(async tx => {
        await mirrorObjects(tx, events);
        const routes = await readRoutes(tx, events);
        const { routed, unclear } = divideByRoute(events, routes);
        return { recorded: await recordRoutes(tx, routed), unclear, routes };
      });
    try {
      return await run();
    } catch (err) {
      if (!schemas.forgetAfter(err)) throw err;
      await schemas.ensure(events.map(({ teamId }) => teamId));
      return run();
    }
  };

  /** What is too much for a team's account waits in the table. */
  const startLookUps = async (unclear: readonly LeasedEvent[], routes: Routes): Promise<void> => {
    if (unclear.length === 0) return;
    const started: LeasedEvent[] = [];
    const waiting: LeasedEvent[] = [];
    for (const [teamId, ofTeam] of Map.groupBy(unclear, event => event.teamId)) {
      const room = MAX_LOOK_UPS - (lookUpsOf.get(teamId)?.running ?? 0);
      started.push(...ofTeam.slice(0, room));
      waiting.push(...ofTeam.slice(room));
    }
    await releaseUncounted(em, waiting);
    for (const event of await holdForRouting(em, started)) startLookUp(event, routes);
  };

  const startLookUp = (event: LeasedEvent, routes: Routes): void => {
    const { teamId } = event;
    const ofTeam = lookUpsOf.get(teamId) ?? { limit: semaphore(PARALLEL_LOOK_UPS), running: 0 };
    lookUpsOf.set(teamId, ofTeam);
    ofTeam.running += 1;
    const lookUp: Promise<void> = ofTeam
      .limit(() => lookUpAndPublish(event, routes))
      .finally(() => {
        running.delete(lookUp);
        ofTeam.running -= 1;
        if (ofTeam.running === 0) lookUpsOf.delete(teamId);
      });
    running.add(lookUp);
  };

  const lookUpAndPublish = async (leased: LeasedEvent, known: Routes): Promise<void> => {
    let event = leased;
    try {
      event = await lookUps.followPayment(leased);
      const routes = event.hints === leased.hints ? known : await readRoutes(em.fork(), [event]);
      const found = await lookUps.findRoute(event, routes);
      const route = typeof found === 'string' ? await readRouteNow(event) : found;
      if (!route) return await endUnrouted(event, found === 'foreign');
      await publisher.publish(await em.fork().transactional(tx => recordRoutes(tx, [{ event, route }])));
    } catch (err) {
      await afterError(event, err);
    }
  };

  const endUnrouted = async (event: LeasedEvent, isForeign: boolean): Promise<void> => {
    // Its object is in the team's schema, and a customer record is only made by callers.
    if (event.type === 'customer.created') return completeMirrored(em, event);
    const mayEnd = isForeign && isForeignAfter(attemptOf(event), pausesMs);
    if (mayEnd && (await ignoreForeign(em, event))) return undefined;
    return postpone(em, [{ event, error: NO_PROJECT }], pausesMs);
  };

  /** A record may have been created meanwhile; it could not wake an event that was leased. */
  const readRouteNow = async (event: LeasedEvent) => {
    const { routed } = divideByRoute([event], await readRoutes(em.fork(), [event]));
    return routed[0]?.route ?? null;
  };

  const afterError = async (event: LeasedEvent, err: unknown): Promise<void> => {
    const { id: eventId, type, teamId, attempt } = event;
    logger.warn({ err, eventId, type, teamId, attempt }, 'webhook event not routed, will try again');
    await release([event], err);
  };

  /** Tries for some seconds, since the database itself may be unavailable; after that the leases end. */
  const release = async (events: readonly LeasedEvent[], err: unknown): Promise<void> => {
    for (const pauseMs of [...RELEASE_PAUSES_MS, null]) {
      try {
        return await postponeAfterError(em, events, err, pausesMs);
      } catch (lost) {
        if (pauseMs === null) logger.warn({ err: lost }, 'webhook events not released, their leases will end');
        else await pause(pauseMs);
      }
    }
  };

  const processGroup = async (events: readonly LeasedEvent[]): Promise<void> => {
    try {
      await processBatch(events);
    } catch (err) {
      if (isUnavailable(err)) {
        logger.warn({ err, events: events.length }, 'webhook events wait for what is unavailable');
        await release(events, err);
        return;
      }
      for (const event of events) await processBatch([event]).catch((one: unknown) => afterError(event, one));
    }
  };

  return {
    async process(events) {
      // An event that was leased before may have crashed the process: it must not take others along.
      const { again = [], first = [] } = Object.groupBy(events, ({ attempt, route }) =>
        attempt > 1 && !route ? 'again' : 'first',
      );
      for (const group of [first, ...again.map(event => [event])]) if (group.length > 0) await processGroup(group);
    },
    idle: async () => void (await Promise.allSettled(running)),
  };
}
