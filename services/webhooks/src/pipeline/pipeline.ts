import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { PublishMessage } from '@billing/messaging/bus';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { openLeaseQueue } from '@billing/database/lease-queue';
import type { Logger } from 'pino';
import { findRoute } from './find-route.ts';
import { openFloodGate } from './flood-gate.ts';
import { leaseDueEvents, releaseUnprocessed, type LeasedEvent } from './lease.ts';
import { openEventProcessor } from './process.ts';
import { openPublicationWindow } from './publication-window.ts';
import { openEventPublisher } from './publish.ts';
import { storeEvents } from './store.ts';

/** Events per batch. */
const BATCH_SIZE = 1_000;
/** Stored events are processed from memory for this part of their lease, in milliseconds. */
const MAX_AGE_MS = 10_000;
/** About what an event costs in memory beside its payload, in characters. */
const OVERHEAD = 2_000;
/** How often to look for events that other copies left, in milliseconds. */
const POLL_MS = 500;
/** How soon to look again for events in memory that have to wait, in milliseconds. */
const WAIT_MS = 50;

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
    sizeOf: ({ payloadSize }) => payloadSize + OVERHEAD,
    groupOf: ({ teamId }) => teamId,
  });
  const gate = openFloodGate();
  const window = openPublicationWindow();
  const publisher = openEventPublisher({ em, publish, window, logger });
  const processor = openEventProcessor({ em, findRoute: findRoute({ rpc, processors }), publisher, pausesMs, logger });
  let loop: LeaseLoop | undefined;

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
        lease: limit =>
          stored.lease(limit, {
            leaseDue: due => leaseDueEvents(em, due),
            intervalMs: POLL_MS,
            roomOf: team => (gate.holds(team as TeamId) ? 0 : window.roomOf(team)), // the queue's groups are teams
            roomOfTable: () => (gate.holdsAny() ? 0 : window.room()),
          }),
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
      await releaseUnprocessed(em, stored.take(Number.MAX_SAFE_INTEGER)).catch((err: unknown) =>
        logger.warn({ err }, 'webhook events not released, their leases will end'),
      );
    },
  };
}
