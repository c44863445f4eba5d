import { raw, type EntityManager } from '@mikro-orm/postgresql';

// Copies of the service may have clocks that differ, so every time in the table is the database's.

/** Returns the current time of the database. */
export async function databaseTime(em: EntityManager): Promise<Date> {
  const [row] = await em.execute<{ now: Date | string }[]>('select clock_timestamp() as now');
  if (!row) throw new Error('PostgreSQL returned no row for "select clock_timestamp()".');
  return new Date(row.now);
}

/** The conditions of a session whose link works now. */
export const isLive = () => ({ revokedAt: null, expiresAt: { $gt: raw('clock_timestamp()') } });
