import type { EntityManager } from '@mikro-orm/postgresql';
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
import { openEventPublisher } from './publish.ts';
import { storeEvents } from './store.ts';

/** Events per batch. */
const BATCH_SIZE = 4_000;
/** Stored events are processed from memory for this part of their lease, in milliseconds. */
const MAX_AGE_MS = 10_000;
/** About what an event costs in memory beside its payload, in characters. */
const OVERHEAD = 2_000;
/** How often to look for events that other copies left, in milliseconds. */
const POLL_MS = 500;

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
  });
  const gate = openFloodGate();
  const publisher = openEventPublisher({ em, publish, logger });
  const processor = openEventProcessor({ em, findRoute: findRoute({ rpc, processors }), publisher, pausesMs, logger });
  let loop: LeaseLoop | undefined;

  return {
    store: storeEvents({ em, stored }),
    /** Events may have become due. */
    wake: () => stored.missed(),
    /** An event was stored. */
    received: gate.received,
    completed: (events: Parameters<typeof publisher.completed>[0]) => publisher.completed(events),
    start() {
      const started = startLeaseLoop<LeasedEvent>({
        name: 'webhook-events',
        batchSize: BATCH_SIZE,
        lease: async limit => {
          await gate.pass();
          return stored.lease(limit, { leaseDue: due => leaseDueEvents(em, due), intervalMs: POLL_MS });
        },
        work: events => processor.process(events),
        intervalMs: POLL_MS,
        logger,
      });
      stored.onAdd(started.wake);
      loop = started;
    },
    /** Stops after the events in flight, and leaves those in memory to other copies. */
    async stop() {
      gate.open();
      await loop?.stop();
      await processor.idle();
      await publisher.flush();
      await releaseUnprocessed(em, stored.take(Number.MAX_SAFE_INTEGER)).catch((err: unknown) =>
        logger.warn({ err }, 'webhook events not released, their leases will end'),
      );
    },
  };
}
