import type { TeamId } from '@billing/contracts/ids';
import { isUnavailable } from '@billing/messaging/consumer/dead-letter';
import { semaphore } from '@billing/messaging/semaphore';
import { withBatchSpan } from '@billing/messaging/spans';
import type { Logger } from 'pino';
import { isForeignAfter, ROUTING_PAUSES_MS } from '#domain/unrouted.ts';
import { openTeamSchemas } from '#persistence/team-schema.ts';
import { readRoutes, type Routes } from '#persistence/routes.ts';
import { holdForRouting, type LeasedEvent } from './lease.ts';
import { openLookUps, type LookUpParts } from './look-up-route.ts';
import { mirrorObjects } from './mirror.ts';
import { attemptOf, endUnrouted, postpone, postponeAfterError, releaseUncounted } from './postpone.ts';
import type { EventPublisher } from './publish.ts';
import { recordRoutes, routeOf } from './route.ts';

const NO_PROJECT = 'unroutable: neither its metadata nor a known id nor its customer leads to a project of this team';
const NEVER_FINISHED = 'unroutable: no attempt finished; the event may have crashed the process';
/** Events of a team whose route is looked up elsewhere at the same time. */
const PARALLEL_LOOK_UPS = 16;
/** With those that wait for their turn: so few that their leases last. */
const MAX_LOOK_UPS = 128;

export interface ProcessParts extends LookUpParts {
  readonly publisher: EventPublisher;
  readonly logger: Logger;
  /** Between attempts to find an event's project, in milliseconds; after one more attempt it has failed. */
  readonly pausesMs?: readonly number[] | undefined;
}

export type EventProcessor = ReturnType<typeof openEventProcessor>;

/**
 * Processes leased webhook events: mirrors their objects, routes and publishes them. A batch that fails is processed
 * event by event, and an event that fails alone is postponed. Those whose project must be looked up elsewhere are finished on
 * the side.
 */
export function openEventProcessor(parts: ProcessParts) {
  const { em, publisher, logger, pausesMs = ROUTING_PAUSES_MS } = parts;
  const lookUps = openLookUps(parts);
  const maxAttempts = pausesMs.length + 1;
  const schemas = openTeamSchemas(em);
  /** By team: one whose account is slow delays no other. */
  const lookUpsOf = new Map<TeamId, { readonly limit: ReturnType<typeof semaphore>; readonly running: Set<unknown> }>();

  const processBatch = async (events: readonly LeasedEvent[]): Promise<void> => {
    if (events.length === 0) return;
    const traces = events.map(({ trace }) => trace);
    try {
      await withBatchSpan('webhook-events', traces, async () => {
        const { recorded, unclear, routes } = await mirrorAndRoute(events);
        await publisher.publish(recorded);
        await startLookUps(unclear, routes);
      });
    } catch (err) {
      if (events.length === 1 || isUnavailable(err)) return release(events, err);
      for (const event of events) await processBatch([event]);
    }
  };

  const mirrorAndRoute = async (events: readonly LeasedEvent[]) => {
    await schemas.ensure(events.map(({ teamId }) => teamId));
    const run = () =>
      em.fork().transactional(async tx => {
        await mirrorObjects(tx, events);
        const routes = await readRoutes(tx, events);
        const found = events.map(event => ({ event, route: routeOf(event, routes) }));
        const routed = found.flatMap(({ event, route }) => (route ? [{ event, route }] : []));
        const unclear = found.flatMap(({ event, route }) => (route ? [] : [event]));
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
    const [now, later]: [LeasedEvent[], LeasedEvent[]] = [[], []];
    for (const [teamId, events] of Map.groupBy(unclear, event => event.teamId)) {
      const room = MAX_LOOK_UPS - (lookUpsOf.get(teamId)?.running.size ?? 0);
      now.push(...events.slice(0, room));
      later.push(...events.slice(room));
    }
    await releaseUncounted(em, later);
    const held = await holdForRouting(em, now);
    for (const event of held) startLookUp(event, routes);
  };

  const startLookUp = (event: LeasedEvent, routes: Routes): void => {
    const { teamId } = event;
    const ofTeam = lookUpsOf.get(teamId) ?? { limit: semaphore(PARALLEL_LOOK_UPS), running: new Set() };
    lookUpsOf.set(teamId, ofTeam);
    const lookUp: Promise<void> = ofTeam
      .limit(() => lookUpAndPublish(event, routes))
      .finally(() => {
        ofTeam.running.delete(lookUp);
        if (ofTeam.running.size === 0) lookUpsOf.delete(teamId);
      });
    ofTeam.running.add(lookUp);
  };

  const lookUpAndPublish = async (leased: LeasedEvent, known: Routes): Promise<void> => {
    let event = leased;
    try {
      event = await lookUps.followPayment(leased);
      const routes = event.hints === leased.hints ? known : await readRoutes(em.fork(), [event]);
      const found = await lookUps.findRoute(event, routes);
      // A record may have been created meanwhile; it could not wake an event that was leased.
      const route = found ?? routeOf(event, await readRoutes(em.fork(), [event]));
      if (route) await publisher.publish(await em.fork().transactional(tx => recordRoutes(tx, [{ event, route }])));
      else await afterLookUp(event);
    } catch (err) {
      await release([event], err);
    }
  };

  const afterLookUp = async (event: LeasedEvent): Promise<void> => {
    // Its object is in the team's schema, and a customer record is only made by callers.
    if (event.type === 'customer.created') return void (await endUnrouted(em, event, 'processed'));
    const mayEnd = isForeignAfter(attemptOf(event), pausesMs);
    if (mayEnd && (await endUnrouted(em, event, 'ignored'))) return;
    await postpone(em, [event], NO_PROJECT, pausesMs);
  };

  /** While the database itself is unavailable, the leases end. */
  const release = async (events: readonly LeasedEvent[], err: unknown): Promise<void> => {
    const [first] = events;
    const fields = { err, events: events.length, eventId: first?.id, type: first?.type, teamId: first?.teamId };
    logger.warn(fields, 'webhook events not processed, will try again');
    await postponeAfterError(em, events, err, pausesMs).catch((lost: unknown) =>
      logger.warn({ err: lost }, 'webhook events not released, their leases will end'),
    );
  };

  return {
    async process(events: readonly LeasedEvent[]): Promise<void> {
      const turns = Object.groupBy(events, ({ route, ...event }) => {
        if (route || attemptOf(event) <= 1) return 'first';
        return attemptOf(event) > maxAttempts ? 'spent' : 'again';
      });
      const { first = [], again = [], spent = [] } = turns;
      await processBatch(first);
      // One that was leased before may have crashed the process: it must not take others along.
      for (const event of again) await processBatch([event]);
      await postpone(em, spent, NEVER_FINISHED, pausesMs);
    },
    /** Fulfilled when nothing is looked up any more. */
    idle: async (): Promise<void> =>
      void (await Promise.allSettled([...lookUpsOf.values()].flatMap(({ running }) => [...running]))),
  };
}
