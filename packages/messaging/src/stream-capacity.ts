import { metrics } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { openStreamShares } from './stream-shares.ts';

/** What a stream holds, and may hold; in bytes. A limit of -1 is none. */
export interface StreamSize {
  readonly bytes: number;
  readonly maxBytes: number;
  /** The place of its first message. */
  readonly first: number;
}

/** The stream is full. It has room again when old events age out, or once its `max_bytes` is raised. */
export class StreamFullError extends Error {
  override readonly name = 'StreamFullError';
}

/** The stream is crowded, and a team has its share of it: what it publishes waits, and nothing else. */
export class TeamShareError extends Error {
  override readonly name = 'TeamShareError';
}

/** Counts what this process publishes against the room that the stream had when it was last read. */
export interface StreamCapacity {
  /**
   * Reserves room for a message of so many bytes. Call the returned function when the message is stored, with its place, or
   * refused.
   * @throws StreamFullError, TeamShareError
   */
  reserve(teamId: string, bytes: number): (place: number | undefined) => void;
}

/** How full a stream gets. The rest is room for what all processes publish between two of their readings. */
const FULL_AT = 0.9;
/**
 * How full a stream is before teams are kept to their shares. As what is handled goes from a stream that is half full, so much
 * is work that waits. From there on a team may have a hundredth of the stream from each process: of ten processes a tenth, and
 * the rest of the room is for the others.
 */
const CROWDED_AT = 0.6;
const TEAM_SHARE = 0.01;
/** So finely is counted what a team has: a part of its share. */
const PARTS_OF_SHARE = 8;
/** Record and headers of a message, about, in bytes. */
const OVERHEAD = 256;
const READ_EVERY_MS = 1_000;

/**
 * Keeps a stream below its `max_bytes`. At that limit `discard: new` does not protect old messages: the server checks
 * the bytes of the message alone, then counts its record as well, and removes the oldest messages for the difference.
 * https://docs.nats.io/nats-concepts/jetstream/streams#discard-policy
 */
export async function watchCapacity(readSize: () => Promise<StreamSize>, logger: Logger): Promise<StreamCapacity> {
  let size = await readSize();
  let readAt = performance.now();
  let isReading = false;
  let wasFull = false;
  /** Published since the last reading, and in flight; in bytes. */
  let since = 0;
  let inFlight = 0;
  const shares = openStreamShares();
  const heldBack = metrics.getMeter('billing.bus').createCounter('billing.bus.held_back_messages', {
    description:
      'Messages that wait because the stream is crowded and their team has its share of it; each attempt counts.',
  });
  heldBack.add(0);
  const warnedOf = new Set<string>();

  const isCrowded = (bytes: number): boolean => size.maxBytes > 0 && bytes > size.maxBytes * CROWDED_AT;

  const readAgain = async () => {
    isReading = true;
    const before = since;
    try {
      size = await readSize();
      since -= before;
      shares.forgetBefore(size.first);
      if (!isCrowded(size.bytes)) warnedOf.clear();
    } catch (err) {
      logger.warn({ err }, 'size of the stream not read, will try again');
    }
    readAt = performance.now();
    isReading = false;
  };

  const warnOnce = (isFull: boolean) => {
    if (isFull && !wasFull) logger.error(size, 'stream full, events stay in the outboxes: raise its max_bytes');
    wasFull = isFull;
  };

  const holdBack = (teamId: string): never => {
    heldBack.add(1);
    if (!warnedOf.has(teamId)) logger.warn({ teamId, ...size }, 'stream crowded, events of a team wait in its outbox');
    warnedOf.add(teamId);
    throw new TeamShareError('The event stream is crowded, and the team has its share of it.');
  };

  return {
    reserve(teamId, bytes) {
      if (!isReading && performance.now() - readAt >= READ_EVERY_MS) void readAgain();
      const cost = bytes + OVERHEAD;
      const filled = size.bytes + since + inFlight + cost;
      const isFull = size.maxBytes > 0 && filled > size.maxBytes * FULL_AT;
      warnOnce(isFull);
      if (isFull) throw new StreamFullError('The event stream is full; raise its max_bytes.');
      const share = size.maxBytes * TEAM_SHARE;
      const held = shares.bytesOf(teamId);
      // A team that has nothing may publish a message, however small the stream is.
      if (isCrowded(filled) && held > 0 && held + cost > share) holdBack(teamId);
      inFlight += cost;
      return place => {
        inFlight -= cost;
        since += cost;
        if (place !== undefined && share > 0) shares.add({ teamId, bytes: cost, place }, share / PARTS_OF_SHARE);
      };
    },
  };
}
