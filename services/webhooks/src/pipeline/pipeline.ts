import type { EntityManager } from '@mikro-orm/postgresql';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { openLeaseQueue } from '@billing/database/lease-queue';
import { storeEvents } from '#receipt/store';
import type { Reported } from './complete.ts';
import type { StorageQuota } from '../storage-quota.ts';
import { leaseDueEvents, openWindow, type LeasedEvent } from './lease.ts';
import { releaseUncounted } from './postpone.ts';
import { openEventProcessor, type ProcessParts } from './process.ts';
import { openEventPublisher, type PublishParts } from './publish.ts';

/** Events per batch. */
const BATCH_SIZE = 1_000;
/** Stored events are processed from memory for this part of their lease, in milliseconds. */
const MAX_AGE_MS = 10_000;
/** About what an event costs in memory beside its payload, in characters. */
const OVERHEAD = 2_000;
/** How often to look for events that other copies left, in milliseconds. */
const POLL_MS = 500;
/** How often to look for them while there are some, in milliseconds. */
const BUSY_POLL_MS = 50;

type PipelineParts = PublishParts &
  Omit<ProcessParts, 'rooms' | 'publisher'> & {
    /** With connections of its own for the events that are stored: whatever else the service does must not delay their receipt. */
    readonly receipt: EntityManager;
    readonly quota: Pick<StorageQuota, 'bytes' | 'note'>;
  };

/**
 * Opens the pipeline of webhook events: store, lease, route, mirror, publish, complete. An event's row is the work on it. This
 * process leases what it has just stored from memory, and the rest from the table, teams in turn, as much of each team as its
 * window has room for. A row stays leased until it is complete; when its lease ends before that, any copy processes it again.
 */
export function openPipeline({ receipt, quota, outbox, publish, rpc, processors, pausesMs, logger }: PipelineParts) {
  const { em } = outbox;
  const stored = openLeaseQueue<LeasedEvent>({
    maxAgeMs: MAX_AGE_MS,
    sizeOf: ({ payloadSize }) => payloadSize + OVERHEAD,
    groupOf: ({ teamId }) => teamId,
  });
  const publisher = openEventPublisher({ outbox, publish, logger });
  const rooms = openWindow(em);
  const processor = openEventProcessor({ outbox, rpc, processors, publisher, rooms, pausesMs, logger });
  const table = { leaseDue: (limit: number) => leaseDueEvents(em, rooms, limit), intervalMs: POLL_MS };
  let loop: LeaseLoop | undefined;

  return {
    store: storeEvents({ em: receipt, stored, rooms, quota }),
    /** Events may have become due in the table. */
    wake: stored.missed,
    /** Projects have reported on events, which are in flight no more. */
    reported(events: readonly Reported[]): void {
      publisher.completed(events.filter(({ isComplete }) => isComplete));
      for (const { teamId, projects } of events) rooms.free(teamId, projects);
    },
    start() {
      loop = startLeaseLoop<LeasedEvent>({
        name: 'webhook-events',
        batchSize: BATCH_SIZE,
        lease: limit => stored.lease(limit, table),
        work: events => processor.process(events),
        intervalMs: BUSY_POLL_MS,
        logger,
      });
      stored.onAdd(loop.wake);
    },
    /** Stops after the events in flight, and leaves those in memory to other copies. */
    async stop() {
      await loop?.stop();
      await processor.idle();
      await publisher.flush();
      await releaseUncounted(em, stored.take(Number.MAX_SAFE_INTEGER), 0).catch((err: unknown) =>
        logger.warn({ err }, 'webhook events not released, their leases will end'),
      );
    },
  };
}
