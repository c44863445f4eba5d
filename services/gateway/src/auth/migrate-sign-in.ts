import type { BetterAuthOptions } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import type { Pool } from 'pg';

/** The PostgreSQL advisory lock that keeps gateways that start at once from migrating at once. */
const MIGRATION_LOCK = 7_231_906;

/** Creates and extends the tables of better-auth. */
export async function migrateSignIn(pool: Pool, options: BetterAuthOptions): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    await connection.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    connection.release();
  } catch (err) {
    // Closing the connection releases the lock.
    connection.release(true);
    throw err;
  }
}
