import type { Pool, PoolClient, QueryResult } from 'pg';

/** A statement that took long. */
export interface SlowQuery {
  /** Its verb and the first table that it names, as `update outbox_events`; the rest may have values. */
  readonly statement: string;
  readonly ms: number;
}

/** Statements that take longer are slow, in milliseconds. */
const SLOW_MS = 500;

type Query = (sql: unknown, ...rest: unknown[]) => Promise<QueryResult>;

/** Calls `onEnd` after each statement of the pool's connections with the milliseconds that it took, waiting for locks included. */
export function timeQueries(pool: Pool, onEnd: (sql: unknown, ms: number) => void): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as Query; // one of its overloads, with the others passed through
    const timed: Query = (sql, ...rest) => {
      const startedAt = performance.now();
      const running = query(sql, ...rest);
      // Whoever waits for the statement handles its errors; statements with a callback return no promise.
      void Promise.resolve(running).then(report, report);
      return running;
      function report(): void {
        onEnd(sql, performance.now() - startedAt);
      }
    };
    client.query = timed as typeof client.query; // the same overloads
  });
}

/** Returns a statement that took half a second and longer, as logs show it; undefined for any other. */
export const slowQueryOf = (sql: unknown, ms: number): SlowQuery | undefined =>
  ms < SLOW_MS ? undefined : { statement: summaryOf(sql), ms: Math.round(ms) };

/** Returns the verb of a statement and the first table that it names. */
export function summaryOf(sql: unknown): string {
  const text = typeof sql === 'string' ? sql : Object(sql).text;
  if (typeof text !== 'string') return 'unknown';
  const [, verb = 'unknown'] =
    /\b(select|insert|update|delete|begin|commit|rollback|lock|set|create|alter)\b/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|table)\s+"?(?:\w+"?\."?)?(\w+)/i.exec(text) ?? [];
  return table === undefined ? verb.toLowerCase() : `${verb.toLowerCase()} ${table}`;
}
