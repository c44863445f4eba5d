import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { TeamRooms } from '@billing/database/team-rooms';
import { isUnavailable } from '@billing/messaging/consumer/dead-letter';
import type { Outbox, Publish, PublishingWork } from '@billing/messaging/outbox';
import { semaphore, type Semaphore } from '@billing/messaging/semaphore';
import { withBatchSpan } from '@billing/messaging/spans';
import type { Logger } from 'pino';
import { isForeignAfter, ROUTING_PAUSES_MS } from './unrouted.rules.ts';
import { openTeamSchemas } from './team-schema.ts';
import { readRoutes, type Routes } from './route-rows.ts';
import { holdForRouting, type LeasedEvent } from './lease.ts';
import { openLookUps, type LookUpParts } from './look-up-route.ts';
import { countMirrored, mirrorObjects } from './mirror.ts';
import { attemptOf, endUnrouted, postpone, postponeAfterError, releaseUncounted } from './postpone.ts';
import type { EventPublisher } from './publish.ts';
import { recordRoutes, routeOf, type RoutedEvent } from './route.ts';
import { lockForRouting } from './send-missed-events.ts';

const NO_PROJECT = 'unroutable: neither its metadata nor a known id nor its customer leads to a project of this team';
const NEVER_FINISHED = 'unroutable: no attempt finished; the event may have crashed the process';
/** Events of a team whose route is looked up elsewhere at the same time. */
const PARALLEL_LOOK_UPS = 16;
/** With those that wait for their turn: so few that their leases last, and of so many characters that memory holds them. */
const MAX_LOOK_UPS = 128;
const MAX_LOOKED_UP = 4 * 1_048_576;

export interface ProcessParts extends Omit<LookUpParts, 'em'> {
  readonly outbox: Outbox;
  readonly publisher: EventPublisher;
  readonly rooms: Pick<TeamRooms, 'take'>;
  readonly logger: Logger;
  /** Between attempts to find an event's project, in milliseconds; after one more attempt it has failed. */
  readonly pausesMs?: readonly number[] | undefined;
}

export type EventProcessor = ReturnType<typeof openEventProcessor>;

/**
 * Processes leased webhook events: routes them, mirrors the objects of those that have a project, and publishes them. A batch that
 * fails is processed event by event, and an event that fails alone is postponed. Those whose project must be looked up elsewhere
 * are finished on the side.
 */
export function openEventProcessor(parts: ProcessParts) {
  const { outbox, publisher, rooms, logger, pausesMs = ROUTING_PAUSES_MS } = parts;
  const { em } = outbox;
  const lookUps = openLookUps({ ...parts, em });
  const maxAttempts = pausesMs.length + 1;
  const schemas = openTeamSchemas(em);
  /** By team: one whose account is slow delays no other. */
  const lookUpsOf = new Map<TeamId, { readonly limit: Semaphore; readonly running: Map<Promise<void>, number> }>();

  const processBatch = async (events: readonly LeasedEvent[]): Promise<void> => {
    if (events.length === 0) return;
    const traces = events.map(({ trace }) => trace);
    try {
      await withBatchSpan('webhook-events', traces, async () => {
        const { recorded, unclear, routes } = await routeBatch(events);
        await publisher.publish(recorded);
        await startLookUps(unclear, routes);
      });
    } catch (err) {
      if (events.length === 1 || isUnavailable(err)) return release(events, err);
      for (const event of events) await processBatch([event]);
    }
  };

  const routeBatch = (events: readonly LeasedEvent[]) =>
    mirroring(events, async (tx, publish) => {
      await lockForRouting(tx, events);
      const routes = await readRoutes(tx, events);
      const found = events.map(event => ({ event, route: routeOf(event, routes) }));
      const routed = found.flatMap(({ event, route }) => (route ? [{ event, route }] : []));
      const unclear = found.flatMap(({ event, route }) => (route ? [] : [event]));
      return { recorded: await mirrorAndRecord(tx, routed, publish), unclear, routes };
    });

  /** The object of an event whose row says where it goes was mirrored with that, unless a sync has read it. */
  const mirrorAndRecord = async (tx: EntityManager, routed: readonly RoutedEvent[], publish: Publish) => {
    const fresh = routed.filter(({ event }) => event.route === null || event.syncId !== null);
    const growth = await mirrorObjects(
      tx,
      fresh.map(({ event }) => event),
    );
    const recorded = await recordRoutes(tx, routed, { publish, rooms });
    await countMirrored(tx, growth);
    return recorded;
  };

  /** Runs a transaction that mirrors objects of these events. */
  const mirroring = async <Result>(events: readonly LeasedEvent[], work: PublishingWork<Result>): Promise<Result> => {
    const teamIds = events.map(({ teamId }) => teamId);
    await schemas.ensure(teamIds);
    try {
      return await outbox.transaction(work);
    } catch (err) {
      if (!schemas.forgetAfter(err)) throw err;
      await schemas.ensure(teamIds);
      return outbox.transaction(work);
    }
  };

  /** What is too much for a team's account waits in the table. */
  const startLookUps = async (unclear: readonly LeasedEvent[], routes: Routes): Promise<void> => {
    if (unclear.length === 0) return;
    const [now, later]: [LeasedEvent[], LeasedEvent[]] = [[], []];
    for (const [teamId, events] of Map.groupBy(unclear, event => event.teamId)) {
      const sizes = [...(lookUpsOf.get(teamId)?.running.values() ?? [])];
      let [room, size] = [MAX_LOOK_UPS - sizes.length, sizes.reduce((sum, it) => sum + it, 0)];
      for (const event of events) {
        const fits = room > 0 && size <= MAX_LOOKED_UP;
        (fits ? now : later).push(event);
        if (fits) [room, size] = [room - 1, size + event.payloadSize];
      }
    }
    await releaseUncounted(em, later);
    const held = await holdForRouting(em, now);
    for (const event of held) startLookUp(event, routes);
  };

  const startLookUp = (event: LeasedEvent, routes: Routes): void => {
    const { teamId } = event;
    const ofTeam = lookUpsOf.get(teamId) ?? { limit: semaphore(PARALLEL_LOOK_UPS), running: new Map() };
    lookUpsOf.set(teamId, ofTeam);
    const lookUp: Promise<void> = ofTeam
      .limit(() => lookUpAndPublish(event, routes))
      .finally(() => {
        ofTeam.running.delete(lookUp);
        if (ofTeam.running.size === 0) lookUpsOf.delete(teamId);
      });
    ofTeam.running.set(lookUp, event.payloadSize);
  };

  const lookUpAndPublish = async (leased: LeasedEvent, known: Routes): Promise<void> => {
    let event = leased;
    try {
      event = await lookUps.followPayment(leased);
      const routes = event.hints === leased.hints ? known : await readRoutes(em.fork(), [event]);
      const found = await lookUps.findRoute(event, routes);
      // A record may have been created meanwhile; it could not wake an event that was leased.
      const route = found ?? routeOf(event, await readRoutes(em.fork(), [event]));
      if (!route) return await afterLookUp(event);
      const routed = [{ event, route }];
      await publisher.publish(await mirroring([event], (tx, publish) => mirrorAndRecord(tx, routed, publish)));
    } catch (err) {
      await release([event], err);
    }
  };

  const afterLookUp = async (event: LeasedEvent): Promise<void> => {
    // No more is wanted than its object in the team's schema: a customer record is only made by callers.
    if (event.type === 'customer.created') {
      await mirroring([event], async tx => countMirrored(tx, await mirrorObjects(tx, [event])));
      return void (await endUnrouted(outbox, event, 'processed'));
    }
    const mayEnd = isForeignAfter(attemptOf(event), pausesMs);
    if (mayEnd && (await endUnrouted(outbox, event, 'ignored'))) return;
    await postpone(outbox, [event], NO_PROJECT, pausesMs);
  };

  /** While the database itself is unavailable, the leases end. */
  const release = async (events: readonly LeasedEvent[], err: unknown): Promise<void> => {
    const [first] = events;
    const fields = { err, events: events.length, eventId: first?.id, type: first?.type, teamId: first?.teamId };
    logger.warn(fields, 'webhook events not processed, will try again');
    await postponeAfterError(outbox, events, err, pausesMs).catch((lost: unknown) =>
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
      await postpone(outbox, spent, NEVER_FINISHED, pausesMs);
    },
    /** Fulfilled when nothing is looked up any more. */
    idle: async (): Promise<void> =>
      void (await Promise.allSettled([...lookUpsOf.values()].flatMap(({ running }) => [...running.keys()]))),
  };
}
