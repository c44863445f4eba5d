import { JetStreamApiCodes, JetStreamApiError, jetstreamManager, type ConsumerInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { ROOT, streamOf } from './subjects.ts';

/** How full the stream is before handled events are deleted: a part of its `max_bytes`. */
const TRIM_AT = 0.5;

/**
 * Deletes the events that every consumer has handled, once the stream is half full; returns how many. So what fills a stream
 * is work that waits, not events that were handled within the last seven days. A consumer that stands still keeps all events
 * from the first one that it has not acknowledged. Needs the user that created the stream: no service may delete from it.
 */
export async function trimStream(nats: NatsConnection, root = ROOT): Promise<number> {
  const jsm = await jetstreamManager(nats, { timeout: 10_000 });
  const stream = streamOf(root);
  const { state, config } = await jsm.streams.info(stream);
  if (config.max_bytes <= 0 || state.bytes < config.max_bytes * TRIM_AT) return 0;
  let handled = state.last_seq;
  for await (const consumer of jsm.consumers.list(stream))
    handled = Math.min(handled, handledBy(consumer, state.last_seq));
  if (handled < state.first_seq) return 0;
  return (await jsm.streams.purge(stream, { seq: handled + 1 })).purged;
}

/**
 * The last message up to which a consumer has acknowledged all that it reads. Read after `last`, one with nothing left has
 * handled everything until then: its own position stays where the last event of its filter was.
 */
function handledBy(
  { num_pending: pending, num_ack_pending: unfinished, ack_floor: floor }: ConsumerInfo,
  last: number,
) {
  return pending === 0 && unfinished === 0 ? last : floor.stream_seq;
}

/** How often in a row the stream fails to respond before it counts as standing still. */
const STANDSTILL = 3;

export interface TrimmingOptions {
  readonly report: (line: string) => void;
  /** Called each time that the stream has not responded three times in a row: after a full disk only a restart helps. */
  readonly onStandstill?: () => Promise<void>;
  readonly intervalMs?: number;
}

/** Trims the stream at intervals; returns a function that stops it. */
export function startTrimming(
  nats: NatsConnection,
  { report, onStandstill, intervalMs = 15_000 }: TrimmingOptions,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let failures = 0;
  const trimOnce = async (): Promise<void> => {
    try {
      const events = await trimStream(nats);
      failures = 0;
      if (events > 0) report(`deleted ${events} handled events, because the stream was half full`);
    } catch (err) {
      report(`the stream was not trimmed, will try again: ${err instanceof Error ? err.message : String(err)}`);
      // A server that says that there is no such stream responds.
      if (err instanceof JetStreamApiError && err.code === JetStreamApiCodes.StreamNotFound) return;
      failures += 1;
      if (failures % STANDSTILL === 0) await onStandstill?.();
    }
  };
  const timer = setInterval(() => (running ??= trimOnce().finally(() => (running = undefined))), intervalMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
