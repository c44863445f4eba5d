import type { Logger } from 'pino';

/** What a stream holds, and may hold; in bytes. A limit of -1 is none. */
export interface StreamSize {
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The stream has no room for another fact. It has when old facts age out, or once its `max_bytes` is raised. */
export class StreamFullError extends Error {
  override readonly name = 'StreamFullError';
}

/** Counts what this process publishes against the room that the stream had when it last looked. */
export interface StreamRoom {
  /**
   * Makes sure of room for a message of so many bytes. The function it answers is called when the message is stored or
   * refused.
   * @throws StreamFullError
   */
  take(bytes: number): () => void;
}

/** How full a stream gets. What is left is room for what all processes publish between two of their looks. */
const FULL_AT = 0.9;
/** Record and headers of a message, about, in bytes. */
const OVERHEAD = 256;
const LOOK_EVERY_MS = 1_000;

/**
 * Keeps a stream below its `max_bytes`. At that limit `discard: new` is no promise: the server refuses by the bytes of
 * the message alone, then counts its record as well, and removes the oldest messages to make up for the difference.
 * https://docs.nats.io/nats-concepts/jetstream/streams#discard-policy
 */
export async function watchRoom(look: () => Promise<StreamSize>, logger: Logger): Promise<StreamRoom> {
  let size = await look();
  let lookedAt = performance.now();
  let looking = false;
  let wasFull = false;
  /** Published since the last look, and under way; in bytes. */
  let since = 0;
  let underWay = 0;

  const lookAgain = async () => {
    looking = true;
    const before = since;
    try {
      size = await look();
      since -= before;
    } catch (err) {
      logger.warn({ err }, 'size of the stream not read, will try again');
    }
    lookedAt = performance.now();
    looking = false;
  };

  const warnOnce = (isFull: boolean) => {
    if (isFull && !wasFull) logger.error(size, 'stream full, facts stay in the outboxes: raise its max_bytes');
    wasFull = isFull;
  };

  return {
    take(bytes) {
      if (!looking && performance.now() - lookedAt >= LOOK_EVERY_MS) void lookAgain();
      const cost = bytes + OVERHEAD;
      const isFull = size.maxBytes > 0 && size.bytes + since + underWay + cost > size.maxBytes * FULL_AT;
      warnOnce(isFull);
      if (isFull) throw new StreamFullError('The stream of facts is full; raise its max_bytes.');
      underWay += cost;
      return () => {
        underWay -= cost;
        since += cost;
      };
    },
  };
}
