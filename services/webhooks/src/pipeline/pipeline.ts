import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { PublishMessage } from '@billing/messaging/bus';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { TeamRooms } from '@billing/database/lease-rows';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { openLeaseQueue } from '@billing/database/lease-queue';
import type { Logger } from 'pino';
import { findFinished } from './find-finished.ts';
import { findRoute } from './find-route.ts';
import { followPayment } from './follow-payment.ts';
import { openFloodGate } from './flood-gate.ts';
import { releaseUnprocessed, weightOfEvent, type LeasedEvent } from './lease.ts';
import { leaseBatch } from './lease-batch.ts';
import { openEventProcessor } from './process.ts';
import { openPublicationWindow } from './publication-window.ts';
import { openEventPublisher } from './publish.ts';
import { storeEvents } from './store.ts';
import { SUPERSEDING } from './supersede.ts';

/** Events per batch, by their weight. */
const BATCH_SIZE = 1_000;
/** Stored events are processed from memory for this part of their lease, in milliseconds. */
const MAX_AGE_MS = 10_000;
/** About what an event costs in memory beside its payload, in characters. */
const OVERHEAD = 2_000;
/** About what an event that another one supersedes costs in memory, in characters. */
const KEY_SIZE = 200;
/** How often to look for events that other copies left, in milliseconds. */
const POLL_MS = 500;
/** How soon to look again for events in memory that have to wait, in milliseconds. */
const WAIT_MS = 50;
/** A team with more look-ups than this has enough of them. */
const MAX_LOOKUPS = 32;
/** How often to look whether other copies have completed events, in milliseconds. */
const RECOUNT_MS = 500;

interface PipelineParts {
  readonly em: EntityManager;
  readonly publish: PublishMessage;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  /** Between attempts to find an event's project, in milliseconds. */
  readonly pausesMs?: readonly number[] | undefined;
  readonly logger: Logger;
}

/**
 * Opens the pipeline of webhook events. The files of this folder follow an event's life: receive, store, (lease,) mirror,
 * route, publish, complete. Once started it processes due events until stopped; any number of pipelines may run side by
 * side, in one process or many.
 */
export function openPipeline({ em, publish, rpc, processors, pausesMs, logger }: PipelineParts) {
  const stored = openLeaseQueue<LeasedEvent>({
    maxAgeMs: MAX_AGE_MS,
    sizeOf: ({ payloadSize, superseded }) => payloadSize + OVERHEAD + superseded.length * KEY_SIZE,
    groupOf: ({ teamId }) => teamId,
    weigh: weightOfEvent,
    merging: SUPERSEDING,
  });
  const gate = openFloodGate();
  const window = openPublicationWindow();
  const publisher = openEventPublisher({ em, publish, window, logger });
  const lookUps = { findRoute: findRoute({ em, rpc, processors }), followPayment: followPayment({ em, processors }) };
  const processor = openEventProcessor({ em, ...lookUps, publisher, pausesMs, logger });
  let loop: LeaseLoop | undefined;
  let recountedAt = 0;

  /** How many events of each team may be taken beside those that are about to be processed, by their weight. */
  const roomsBeside = (own: readonly LeasedEvent[]): TeamRooms => {
    const { ofTeams, ofOthers } = window.rooms();
    const left = new Map(ofTeams);
    const take = (teamId: TeamId, weight: number) =>
      left.set(teamId, Math.max(0, (left.get(teamId) ?? ofOthers) - weight));
    for (const event of own) take(event.teamId, weightOfEvent(event));
    for (const [teamId, count] of processor.lookUps()) take(teamId, count > MAX_LOOKUPS ? Infinity : count);
    for (const teamId of gate.held()) take(teamId, Infinity);
    return { ofTeams: left, ofOthers };
  };
  const isLimited = (own: readonly LeasedEvent[]) => [...roomsBeside(own).ofTeams.values()].includes(0);

  /** Makes room for what other copies have completed. */
  const recount = async (): Promise<void> => {
    if (performance.now() - recountedAt < RECOUNT_MS) return;
    const overdue = window.overdue();
    if (overdue.length === 0) return;
    recountedAt = performance.now();
    for (const event of await findFinished(em, overdue)) window.remove(event);
  };

  return {
    store: storeEvents({ em, stored }),
    /** Events may have become due. */
    wake: () => stored.missed(),
    /** An event was stored. */
    received: gate.received,
    completed(events: Parameters<typeof publisher.completed>[0]) {
      publisher.completed(events);
      loop?.wake();
    },
    start() {
      const started = startLeaseLoop<LeasedEvent>({
        name: 'webhook-events',
        batchSize: BATCH_SIZE,
        lease: async limit => {
          await recount();
          const { ofTeams, ofOthers } = roomsBeside([]);
          return stored.lease(limit, {
            leaseDue: (due, own) => leaseBatch(em, due, leased => roomsBeside([...own, ...leased])),
            intervalMs: POLL_MS,
            pauseMs: WAIT_MS,
            roomOf: team => ofTeams.get(team) ?? ofOthers,
            isLimited,
          });
        },
        work: events => processor.process(events),
        intervalMs: WAIT_MS,
        logger,
      });
      stored.onAdd(started.wake);
      loop = started;
    },
    /** Stops after the events in flight, and leaves those in memory to other copies. */
    async stop() {
      await loop?.stop();
      await processor.idle();
      await publisher.flush();
      const left = stored.take(Number.MAX_SAFE_INTEGER).flatMap(event => [event, ...event.superseded]);
      await releaseUnprocessed(em, left).catch((err: unknown) =>
        logger.warn({ err }, 'webhook events not released, their leases will end'),
      );
    },
  };
}
