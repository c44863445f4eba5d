import type { Pool, PoolClient, QueryResult } from 'pg';

/** The names of statements that connections prepare, by text. */
const names = new Map<string, string>();

/** Has every connection prepare this statement when it first runs it, so that PostgreSQL parses and plans it once. */
export function prepareStatement(sql: string): void {
  if (!names.has(sql)) names.set(sql, `statement_${names.size}`);
}

type Query = (sql: unknown, values?: unknown, ...rest: unknown[]) => Promise<QueryResult>;

/** Makes the pool's connections run prepared statements by name; Kysely has no other way to do so. */
export function usePreparedStatements(pool: Pool): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as Query; // one of its overloads, with the others passed through
    const named: Query = (sql, values, ...rest) => {
      const name = typeof sql === 'string' ? names.get(sql) : undefined;
      return name === undefined ? query(sql, values, ...rest) : query({ name, text: sql, values }, ...rest);
    };
    client.query = named as typeof client.query; // the same overloads
  });
}
