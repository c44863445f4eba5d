import type { Logger } from 'pino';

/** What a stream holds, and may hold; in bytes. A limit of -1 is none. */
export interface StreamSize {
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The stream is full. It has room again when old events age out, or once its `max_bytes` is raised. */
export class StreamFullError extends Error {
  override readonly name = 'StreamFullError';
}

/** Counts what this process publishes against the room that the stream had when it was last read. */
export interface StreamCapacity {
  /**
   * Reserves room for a message of so many bytes. Call the returned function when the message is stored or refused.
   * @throws StreamFullError
   */
  reserve(bytes: number): () => void;
}

/** How full a stream gets. The rest is room for what all processes publish between two of their readings. */
const FULL_AT = 0.9;
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

  const readAgain = async () => {
    isReading = true;
    const before = since;
    try {
      size = await readSize();
      since -= before;
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

  return {
    reserve(bytes) {
      if (!isReading && performance.now() - readAt >= READ_EVERY_MS) void readAgain();
      const cost = bytes + OVERHEAD;
      const isFull = size.maxBytes > 0 && size.bytes + since + inFlight + cost > size.maxBytes * FULL_AT;
      warnOnce(isFull);
      if (isFull) throw new StreamFullError('The event stream is full; raise its max_bytes.');
      inFlight += cost;
      return () => {
        inFlight -= cost;
        since += cost;
      };
    },
  };
}
