import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, releaseLease, type LeasedTable } from '@billing/database/lease-rows';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { Logger } from 'pino';
import type { PublishMessage } from './bus.ts';
import { openCommittedEvents, type CommittedEvents, type LeasedMessage } from './committed-events.ts';
import type { Message } from './message.ts';
import { TeamShareError } from './stream-capacity.ts';
import { openTrimming, PUBLISHED } from './trim-team-rows.ts';

/** Messages per batch. */
const RELAY_BATCH = 1_000;
/** When a message is tried again whose team has its share of a crowded stream, in seconds. */
const HELD_BACK_SECONDS = 30;
/** How long published messages wait to be marked together, in milliseconds: well within their lease. */
const MARK_AFTER_MS = 1_000;

const OUTBOX: LeasedTable = {
  table: 'outbox_messages',
  key: ['sequence'],
  leaseSeconds: 15,
  columns: `sequence, id, type, team_id as "teamId", body, events, trace`,
  order: 'sequence',
  maxSize: { column: 'octet_length(body)', bytes: 8 * 1_048_576 },
};

interface RelayOptions {
  readonly em: EntityManager;
  readonly publish: PublishMessage;
  /** Of the transactions of this process. */
  readonly committed?: CommittedEvents;
  /** How often to look for messages that other processes left, in milliseconds. */
  readonly intervalMs?: number;
  readonly logger: Logger;
}

/** A relay that is running. */
export type Relay = Pick<LeaseLoop, 'stop'>;

/**
 * Publishes the outbox until stopped: events of this process right after their commit, and every `intervalMs` those
 * that others left. A crash between publishing and marking publishes a message again under the same id: the bus drops the
 * copy, or else deduplication in its consumers does.
 */
export function startRelay({ em, publish, committed, intervalMs = 1_000, logger }: RelayOptions): Relay {
  const marker = openMarker(em, logger);
  const queue = committed ?? openCommittedEvents();
  const leaseDue = (limit: number) => leaseDueMessages(em, limit);
  const lease = (limit: number) => queue.lease(limit, { leaseDue, intervalMs });
  const work = async (messages: readonly LeasedMessage[]): Promise<void> => {
    const { published, heldBack, failed, errors } = await publishAll(publish, messages);
    marker.add(published);
    await releaseMessages(em, heldBack, HELD_BACK_SECONDS);
    if (failed.length === 0) return;
    await releaseMessages(em, failed);
    queue.missed();
    throw toError(errors, messages);
  };

  const loop = startLeaseLoop({ name: 'outbox', batchSize: RELAY_BATCH, lease, work, intervalMs, logger });
  queue.onAdd(loop.wake);
  return {
    async stop() {
      await loop.stop();
      await marker.flush();
      const left = queue.take(Number.MAX_SAFE_INTEGER);
      await releaseMessages(em, left).catch((err: unknown) =>
        logger.warn({ err }, 'messages not released, their leases will end'),
      );
    },
  };
}

/** Publishes what is due once, and returns how many messages there were; for tests. */
export async function relayOnce(em: EntityManager, publish: PublishMessage, limit = RELAY_BATCH): Promise<number> {
  const messages = await leaseDueMessages(em, limit);
  const { published, heldBack, failed, errors } = await publishAll(publish, messages);
  await markPublished(em, published);
  await releaseMessages(em, heldBack, HELD_BACK_SECONDS);
  await releaseMessages(em, failed);
  if (errors.length > 0) throw toError(errors, messages);
  return messages.length;
}

async function leaseDueMessages(em: EntityManager, limit: number): Promise<LeasedMessage[]> {
  const { leaseId, rows } = await leaseRows<Omit<LeasedMessage, 'leaseId'>>(em, OUTBOX, limit);
  // An update returns rows in any order.
  const inOrder = rows.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
  return inOrder.map(message => ({ ...message, leaseId }));
}

type End = 'published' | 'held back' | 'failed';

function endOf(outcome: PromiseSettledResult<void> | undefined): End {
  if (outcome?.status === 'fulfilled') return 'published';
  return outcome?.reason instanceof TeamShareError ? 'held back' : 'failed';
}

async function publishAll(publish: PublishMessage, messages: readonly LeasedMessage[]) {
  const outcomes = await Promise.allSettled(messages.map(publish));
  const ended = (end: End) => messages.filter((_, index) => endOf(outcomes[index]) === end);
  const errors = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  return {
    published: ended('published'),
    heldBack: ended('held back'),
    failed: ended('failed'),
    errors: errors.filter(err => !(err instanceof TeamShareError)),
  };
}

const toError = (errors: readonly unknown[], messages: readonly Message[]): AggregateError =>
  new AggregateError(
    errors,
    `${errors.length} of ${messages.length} messages could not be published; they stay in the outbox`,
  );

/** Marks published messages in batches, off the path that somebody waits for. */
function openMarker(em: EntityManager, logger: Logger) {
  const trimming = openTrimming(em, PUBLISHED, logger);
  let waiting: LeasedMessage[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const marked = waiting;
    waiting = [];
    // Unmarked messages are published again under the same id when their lease ends.
    await markPublished(em, marked).catch((err: unknown) => logger.warn({ err }, 'messages not marked as published'));
    for (const { teamId, body } of marked) trimming.add(teamId, body.length);
    await trimming.run();
  };
  return {
    add(messages: readonly LeasedMessage[]) {
      waiting.push(...messages);
      if (messages.length > 0) timer ??= setTimeout(() => void flush(), MARK_AFTER_MS);
    },
    flush,
  };
}

async function markPublished(em: EntityManager, messages: readonly LeasedMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await executeBound(
    em.fork(),
    `update outbox_messages set published_at = clock_timestamp(), due_at = null, lease_id = null
      where sequence = any($1::bigint[])`,
    [messages.map(({ sequence }) => sequence)],
  );
}

async function releaseMessages(
  em: EntityManager,
  messages: readonly LeasedMessage[],
  dueAfterSeconds = 0,
): Promise<void> {
  for (const [leaseId, ofLease] of Map.groupBy(messages, message => message.leaseId)) {
    const keys = ofLease.map(({ sequence }) => ({ sequence }));
    await releaseLease(em.fork(), OUTBOX, { leaseId, keys, dueAfterSeconds });
  }
}

/** Deletes up to `limit` messages that were published more than three days ago; returns whether there may be more. */
export async function deletePublished(em: EntityManager, limit = 5_000): Promise<boolean> {
  // The old ones lie before the first young one, so that the others are not read.
  const deleted = await executeBound(
    em.fork(),
    `with bound as (select clock_timestamp() - interval '3 days' as time)
     delete from outbox_messages where sequence = any(array(
       select sequence from outbox_messages
        where published_at < (select time from bound)
          and sequence < coalesce((select sequence from outbox_messages where created_at >= (select time from bound)
                                    order by sequence limit 1), 9223372036854775807)
        order by sequence limit $1))
     returning 1`,
    [limit],
  );
  return deleted.length === limit;
}
