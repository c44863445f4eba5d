import type { Pool, PoolClient, QueryResult } from 'pg';
import { summaryOf } from './statement-summary.ts';

/** A statement that took long. */
export interface SlowQuery {
  /** Its verb and the first table that it names, as `update outbox_messages`; the rest may have values. */
  readonly statement: string;
  readonly ms: number;
}

/** Statements that take longer are slow, in milliseconds. */
const SLOW_MS = 500;

type Query = (sql: unknown, ...rest: unknown[]) => Promise<QueryResult>;

/** A statement that ended. */
export interface EndedQuery {
  readonly sql: unknown;
  /** By the clock of `performance.now()`. */
  readonly startedAt: number;
  /** How long it took, waiting for locks included. */
  readonly ms: number;
  /** With which it failed; undefined otherwise. */
  readonly error?: unknown;
}

/** Calls `onEnd` after each statement of the pool's connections, in the trace of whoever sent it. */
export function timeQueries(pool: Pool, onEnd: (query: EndedQuery) => void): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as Query; // one of its overloads, with the others passed through
    const timed: Query = (sql, ...rest) => {
      const startedAt = performance.now();
      const running = query(sql, ...rest);
      // Whoever waits for the statement handles its errors; statements with a callback return no promise.
      void Promise.resolve(running).then(
        () => onEnd({ sql, startedAt, ms: performance.now() - startedAt }),
        (error: unknown) => onEnd({ sql, startedAt, ms: performance.now() - startedAt, error }),
      );
      return running;
    };
    client.query = timed as typeof client.query; // the same overloads
  });
}

/** Returns a statement that took half a second and longer, as logs show it; undefined for any other. */
export const slowQueryOf = ({ sql, ms }: EndedQuery): SlowQuery | undefined =>
  ms < SLOW_MS ? undefined : { statement: summaryOf(sql), ms: Math.round(ms) };
