import type { EntityManager } from '@mikro-orm/postgresql';

/** The time by the database's clock, which all copies of the service share. */
export async function databaseTime(em: EntityManager): Promise<Date> {
  const [row] = await em.execute<{ now: Date | string }[]>('select clock_timestamp() as now');
  if (!row) throw new Error('PostgreSQL answered no row to a select without a table.');
  return new Date(row.now);
}
