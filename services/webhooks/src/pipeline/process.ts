import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { LONG_LINGER, lingerAfter } from '@billing/database/linger';
import { isUnavailable } from '@billing/messaging/consumer/dead-letter';
import { semaphore } from '@billing/messaging/semaphore';
import { withBatchSpan } from '@billing/messaging/spans';
import type { Logger } from 'pino';
import { isForeignAfter, ROUTING_PAUSES_MS } from '#domain/back-off.ts';
import { openTeamSchemas } from '#persistence/team-schema.ts';
import type { FindRoute } from './find-route.ts';
import type { FollowPayment } from './follow-payment.ts';
import { holdForRouting, type LeasedEvent } from './lease.ts';
import { mirrorObjects } from './mirror.ts';
import { attemptOf, completeMirrored, ignoreForeign, postpone, postponeAfterError } from './postpone.ts';
import type { EventPublisher } from './publish.ts';
import { readRoutes, type Routes } from './read-routes.ts';
import { divideByRoute, recordRoutes, type RoutedEvent } from './route.ts';

const NO_PROJECT = 'unroutable: neither its metadata nor a known id nor its customer leads to a project of this team';
const NEVER_FINISHED = 'unroutable: no attempt finished; the event may have crashed the process';
/** Pauses between attempts to release events while the database is unavailable. */
const RELEASE_PAUSES_MS = [200, 800, 2_000];
/** Events of a team whose route is looked up elsewhere at the same time. */
const PARALLEL_LOOKUPS = 16;
/** Of all teams. */
const MAX_LOOKUPS = 4_000;

interface ProcessParts {
  readonly em: EntityManager;
  readonly findRoute: FindRoute;
  readonly followPayment: FollowPayment;
  readonly publisher: EventPublisher;
  readonly logger: Logger;
  /** Between attempts to find an event's project, in milliseconds; after one more attempt it has failed. */
  readonly pausesMs?: readonly number[] | undefined;
}

/** Processes batches of leased events; those whose project must be looked up elsewhere are finished on the side. */
export interface EventProcessor {
  process(events: readonly LeasedEvent[]): Promise<void>;
  /** How many events of each team are looked up, of teams that have any. */
  lookUps(): ReadonlyMap<TeamId, number>;
  /** Fulfilled when nothing is looked up any more. */
  idle(): Promise<void>;
}

/**
 * Processes leased webhook events: mirrors their objects, routes and publishes them. A batch that fails is processed
 * event by event, and an event that fails alone is postponed.
 */
export function openEventProcessor(parts: ProcessParts): EventProcessor {
  const { em, findRoute, followPayment, publisher, logger, pausesMs = ROUTING_PAUSES_MS } = parts;
  const maxAttempts = pausesMs.length + 1;
  const schemas = openTeamSchemas(em);
  /** By team: one whose account is slow delays no other. */
  const lookUpsOf = new Map<TeamId, { readonly limit: ReturnType<typeof semaphore>; running: number }>();
  const lookups = new Set<Promise<void>>();

  const processBatch = (leased: readonly LeasedEvent[]): Promise<void> =>
    withBatchSpan(
      'webhook-events',
      leased.map(({ trace }) => trace),
      () => processInSpan(leased),
    );

  const processInSpan = async (leased: readonly LeasedEvent[]): Promise<void> => {
    const {
      spent = [],
      republished = [],
      fresh = [],
    } = Object.groupBy(leased, event => {
      if (event.routed) return 'republished';
      return attemptOf(event) > maxAttempts ? 'spent' : 'fresh';
    });
    await postpone(
      em,
      spent.map(event => ({ event, error: NEVER_FINISHED })),
      pausesMs,
    );
    await publisher.publish(republished.flatMap(toRouted));
    if (fresh.length === 0) return;
    const { recorded, unclear, routes } = await mirrorAndRoute(fresh);
    await publisher.publish(recorded);
    if (unclear.length === 0) return;
    for (const event of await holdForRouting(em, unclear)) startLookup(event, routes);
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

  const startLookup = (event: LeasedEvent, routes: Routes): void => {
    const { teamId } = event;
    const ofTeam = lookUpsOf.get(teamId) ?? { limit: semaphore(PARALLEL_LOOKUPS), running: 0 };
    lookUpsOf.set(teamId, ofTeam);
    ofTeam.running += 1;
    const running: Promise<void> = ofTeam
      .limit(() => lookUpAndPublish(event, routes))
      .finally(() => {
        lookups.delete(running);
        ofTeam.running -= 1;
        if (ofTeam.running === 0) lookUpsOf.delete(teamId);
      });
    lookups.add(running);
  };

  const lookUpAndPublish = async (leased: LeasedEvent, known: Routes): Promise<void> => {
    let event = leased;
    try {
      event = await followPayment(leased);
      const routes = event === leased ? known : await readRoutes(em.fork(), [event]);
      const found = await findRoute(event, routes);
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
      const { subscriptions = [], others = [], again = [] } = Object.groupBy(events, turnOf);
      if (subscriptions.length > 0) {
        const startedAt = performance.now();
        await processGroup(subscriptions);
        // Their handlers need the processor now.
        if (others.length > 0) await lingerAfter(performance.now() - startedAt, LONG_LINGER);
      }
      for (const group of [others, ...again.map(event => [event])]) if (group.length > 0) await processGroup(group);
      while (lookups.size > MAX_LOOKUPS) await Promise.race(lookups);
    },
    lookUps: () => new Map([...lookUpsOf].map(([teamId, { running }]) => [teamId, running])),
    idle: async () => void (await Promise.allSettled(lookups)),
  };
}

/**
 * In which turn an event is processed. Customers wait for their subscription, and its invoices and payments belong to it. An
 * event that was leased before may have crashed the process: it must not take others along.
 */
function turnOf({ attempt, type }: LeasedEvent): 'subscriptions' | 'others' | 'again' {
  if (attempt > 1) return 'again';
  return type.startsWith('customer.subscription.') ? 'subscriptions' : 'others';
}

/** An event that was routed before, and may not have been published. */
function toRouted(event: LeasedEvent): RoutedEvent[] {
  const [first, ...others] = event.routed?.projects ?? [];
  if (!event.routed || !first) return [];
  return [{ event, route: { projects: [first, ...others], routedBy: event.routed.routedBy, leftOut: 0 } }];
}
