import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { withTimeout } from '@billing/messaging/timed-transaction';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { PointStore } from './shared-limit.ts';

interface StoreOptions {
  readonly em: EntityManager;
  readonly logger: Logger;
}

/** A window: its name, which is part of the stored keys, and its length. */
interface WindowOptions {
  readonly name: string;
  readonly seconds: number;
}

/** A store that can also be read. */
export interface ReadablePointStore extends PointStore {
  /** Returns the points of the key's current window. */
  read(key: string): Promise<number>;
}

/** Opens a store for one kind of window. */
export type OpenPointStore = (options: WindowOptions) => ReadablePointStore;

/** The store calls this as it would call a connection of the library pg. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** How long PostgreSQL may take to count, in milliseconds. */
const TIMEOUT_MS = 3_000;
/** How long PostgreSQL is left alone after it could not count, in milliseconds. */
const PAUSE_MS = 5_000;

/**
 * Opens stores in the table `rate_limits`, which all copies share. While PostgreSQL does not respond, each copy counts in
 * its memory.
 */
export function openPointStores({ em, logger }: StoreOptions): OpenPointStore {
  let pausedUntil = 0;

  async function query({ text, values }: Statement) {
    if (Date.now() < pausedUntil) throw new Error('PostgreSQL did not count a moment ago.');
    try {
      const rows = await withTimeout(executeBound(em.fork(), text, values), TIMEOUT_MS, 'Counting in PostgreSQL');
      return { rows, rowCount: rows.length };
    } catch (err) {
      pausedUntil = Date.now() + PAUSE_MS;
      logger.warn({ err }, 'rate limits are counted in memory');
      throw err;
    }
  }

  return ({ name, seconds }) => {
    // The limit itself is kept by `sharedLimit`.
    const options = { keyPrefix: name, points: Number.MAX_SAFE_INTEGER, duration: seconds };
    const limiter = new RateLimiterPostgres({
      ...options,
      storeClient: { query },
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      insuranceLimiter: new RateLimiterMemory(options),
    });
    return {
      async add(key, points) {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(key, points);
        return { total: consumedPoints, endsAt: Date.now() + msBeforeNext };
      },
      read: async key => (await limiter.get(key))?.consumedPoints ?? 0,
    };
  };
}

/** Deletes the windows that have ended. */
export const deleteExpiredRateLimits =
  ({ em }: Pick<StoreOptions, 'em'>) =>
  (): Promise<unknown> =>
    executeBound(em.fork(), 'delete from rate_limits where expire < $1', [Date.now()]);
