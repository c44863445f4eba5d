import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, releaseLease, type LeasedTable } from '@billing/database/lease-rows';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { Logger } from 'pino';
import type { PublishMessage } from './bus.ts';
import { openCommittedEvents, type CommittedEvents, type LeasedOutboxEvent } from './committed-events.ts';
import { encode } from './message-body.ts';
import type { NewEvent } from './new-event.ts';

/** Events per batch. */
const RELAY_BATCH = 1_000;
/** How long published events wait to be marked together, in milliseconds: well within their lease. */
const MARK_AFTER_MS = 1_000;

const OUTBOX: LeasedTable = {
  table: 'outbox_events',
  key: ['id'],
  leaseSeconds: 15,
  columns: `id, type, team_id as "teamId", data::text as data, trace,
            (extract(epoch from occurred_at) * 1000)::float8 as "occurredMs", sequence`,
  order: 'sequence',
  maxSize: { column: 'data_bytes', bytes: 16 * 1_048_576 },
};

interface RelayOptions {
  readonly em: EntityManager;
  readonly publish: PublishMessage;
  /** Committed events of this process. */
  readonly committed?: CommittedEvents;
  /** How often to look for events that other processes left, in milliseconds. */
  readonly intervalMs?: number;
  readonly logger: Logger;
}

/** A relay that is running. */
export type Relay = Pick<LeaseLoop, 'stop'>;

/**
 * Publishes the outbox until stopped: events of this process right after their commit, and every `intervalMs` those
 * that others left. A crash between publishing and marking publishes an event again under the same id: the bus drops the
 * copy, or else deduplication in its consumers does.
 */
export function startRelay({ em, publish, committed, intervalMs = 1_000, logger }: RelayOptions): Relay {
  const marker = openMarker(em, logger);
  const queue = committed ?? openCommittedEvents();
  const leaseDue = (limit: number) => leaseDueEvents(em, limit);
  const lease = (limit: number) => queue.lease(limit, { leaseDue, intervalMs });
  const work = async (events: readonly LeasedOutboxEvent[]): Promise<void> => {
    const { published, failed, errors } = await publishAll(publish, events);
    marker.add(published);
    if (failed.length === 0) return;
    await releaseEvents(em, failed);
    queue.missed();
    const count = `${failed.length} of ${events.length}`;
    throw new AggregateError(errors, `${count} events could not be published; they stay in the outbox`);
  };

  const loop = startLeaseLoop({ name: 'outbox', batchSize: RELAY_BATCH, lease, work, intervalMs, logger });
  queue.onAdd(loop.wake);
  return {
    async stop() {
      await loop.stop();
      await marker.flush();
      const left = queue.take(Number.MAX_SAFE_INTEGER);
      await releaseEvents(em, left).catch((err: unknown) =>
        logger.warn({ err }, 'events not released, their leases will end'),
      );
    },
  };
}

/** Publishes what is due once, and returns how many events there were; for tests. */
export async function relayOnce(em: EntityManager, publish: PublishMessage, limit = RELAY_BATCH): Promise<number> {
  const events = await leaseDueEvents(em, limit);
  const { published, failed, errors } = await publishAll(publish, events);
  await markPublished(em, published);
  await releaseEvents(em, failed);
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} events could not be published`);
  return events.length;
}

async function leaseDueEvents(em: EntityManager, limit: number): Promise<LeasedOutboxEvent[]> {
  const { leaseId, rows } = await leaseRows<NewEvent & { sequence: string }>(em, OUTBOX, limit);
  // An update returns rows in any order.
  const inOrder = rows.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
  return inOrder.map(event => ({ ...event, leaseId }));
}

async function publishAll(publish: PublishMessage, events: readonly LeasedOutboxEvent[]) {
  const outcomes = await Promise.allSettled(
    events.map(event => publish(event.type, encode(event), event.id, event.trace)),
  );
  const published = events.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  const failed = events.filter((_, index) => outcomes[index]?.status === 'rejected');
  const errors = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  return { published, failed, errors };
}

/** Marks published events in batches, off the path that somebody waits for. */
function openMarker(em: EntityManager, logger: Logger) {
  let waiting: LeasedOutboxEvent[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const marked = waiting;
    waiting = [];
    // Unmarked events are published again under the same id when their lease ends.
    await markPublished(em, marked).catch((err: unknown) => logger.warn({ err }, 'events not marked as published'));
  };
  return {
    add(events: readonly LeasedOutboxEvent[]) {
      waiting.push(...events);
      if (events.length > 0) timer ??= setTimeout(() => void flush(), MARK_AFTER_MS);
    },
    flush,
  };
}

async function markPublished(em: EntityManager, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await executeBound(
    em.fork(),
    `update outbox_events set published_at = clock_timestamp(), due_at = null, lease_id = null where id = any($1::uuid[])`,
    [events.map(({ id }) => id)],
  );
}

async function releaseEvents(em: EntityManager, events: readonly LeasedOutboxEvent[]): Promise<void> {
  for (const [leaseId, ofLease] of Map.groupBy(events, event => event.leaseId)) {
    const keys = ofLease.map(({ id }) => ({ id }));
    await releaseLease(em.fork(), OUTBOX, { leaseId, keys, dueAfterSeconds: 0 });
  }
}

/** Deletes events that were published more than three days ago; until then they can be looked up for repairs. */
export async function deletePublished(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from outbox_events where id in (
       select id from outbox_events where published_at < now() - interval '3 days' limit ?)`,
    [batchSize],
  );
}
