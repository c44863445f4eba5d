import { LRUCache } from 'lru-cache';

/** Counts the points of keys together with all other copies of the gateway. Times are milliseconds since 1970. */
export interface PointStore {
  /** Adds points to the key's current window, or begins one; returns all points of that window and when it ends. */
  add(key: string, points: number): Promise<{ readonly total: number; readonly endsAt: number }>;
}

/** How much of a limit is used, as far as this copy knows. */
export interface Usage {
  /** Whether the requested points were free. */
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends and the limit is free again, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly msLeft: number;
  /** Of the limit. */
  readonly name: string;
}

/** A number of points that each key may use in a window of time, over all copies of the gateway. */
export interface SharedLimit {
  /** Uses points of a key, all or none. */
  take(key: string, points?: number): Promise<Usage>;
  /** Returns points that an earlier `take` of this copy used; none when its window has ended. */
  giveBack(key: string, taken: Usage, points?: number): void;
  /** Returns what this copy knows, without a request to the store; `isAllowed` is whether `points` may be free. */
  peek(key: string, points?: number): Usage;
}

interface LimitOptions {
  /** For metrics. */
  readonly name?: string;
  readonly store: PointStore;
  /** Points per window. */
  readonly limit: number;
  /** Points that are taken from the store at once; 1 % of the limit, at least 1, unless given. */
  readonly chunk?: number;
  readonly now?: () => number;
}

interface Window {
  endsAt: number;
  /** Points that were taken from the store and are not used yet. */
  available: number;
  /** All points of the window that copies have taken from the store; at the limit or above it nothing is left there. */
  total: number;
  /** Concurrent callers share one request to the store. */
  refill?: Promise<void> | undefined;
}

/** Keys in memory. An evicted key loses the points taken in advance, never more. */
const MAX_KEYS = 20_000;
/** The end of one and the same window differs by less between two replies of the store, in milliseconds. */
const SAME_WINDOW_MS = 500;

/**
 * Creates a limit that sends the store one request for many: it takes points in advance and uses them up in memory. All
 * copies together never allow more than the limit in a window, and at least the limit without one chunk for each copy.
 */
export function sharedLimit(options: LimitOptions): SharedLimit {
  const { name = '', store, limit, chunk = chunkOf(limit), now = Date.now } = options;
  // With `max` it would take the memory of all keys at once.
  const windows = new LRUCache<string, Window>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });

  function windowOf(key: string): Window {
    const known = windows.get(key);
    if (known) {
      if (known.endsAt <= now()) Object.assign(known, { available: 0, total: 0 });
      return known;
    }
    const window: Window = { endsAt: 0, available: 0, total: 0 };
    windows.set(key, window);
    return window;
  }

  async function refill(key: string, window: Window, points: number): Promise<void> {
    const { total, endsAt } = await store.add(key, points);
    const granted = Math.min(Math.max(limit - (total - points), 0), points);
    if (Math.abs(endsAt - window.endsAt) > SAME_WINDOW_MS) Object.assign(window, { endsAt, available: 0 });
    window.available += granted;
    window.total = total;
  }

  const usageOf = ({ endsAt, available, total }: Window, isAllowed: boolean): Usage => ({
    isAllowed,
    name,
    limit,
    remaining: Math.max(limit - total, 0) + available,
    endsAt,
    msLeft: Math.max(endsAt - now(), 0),
  });

  return {
    async take(key, points = 1) {
      for (;;) {
        const window = windowOf(key);
        if (window.available >= points) {
          window.available -= points;
          return usageOf(window, true);
        }
        if (window.total >= limit) return usageOf(window, false);
        const missing = points - window.available;
        window.refill ??= refill(key, window, Math.max(chunk, missing)).finally(() => (window.refill = undefined));
        await window.refill;
      }
    },
    giveBack(key, { endsAt }, points = 1) {
      const window = windows.get(key);
      if (window?.endsAt === endsAt && endsAt > now()) window.available += points;
    },
    peek(key, points = 1) {
      const known = windows.get(key);
      const window = known && known.endsAt > now() ? known : { endsAt: 0, available: 0, total: 0 };
      const usage = usageOf(window, false);
      return { ...usage, isAllowed: usage.remaining >= points };
    },
  };
}

const chunkOf = (limit: number): number => Math.max(1, Math.floor(limit / 100));
