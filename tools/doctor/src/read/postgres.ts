import type { ClockReading } from '../checks/clocks.ts';
import type { ReadOnlyDatabase } from './database.ts';

/** Reads the version of PostgreSQL as a number: 180002. */
export async function readPostgresVersion({ query }: ReadOnlyDatabase): Promise<number> {
  const [row] = await query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  return row?.version ?? 0;
}

/** Reads PostgreSQL's clock, taking half of the way there and back into account. */
export async function readClock({ query }: ReadOnlyDatabase): Promise<ClockReading> {
  const before = Date.now();
  const [row] = await query<{ ms: number }>(`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`);
  return { name: 'postgres', aheadMs: (row?.ms ?? before) - (before + Date.now()) / 2 };
}
