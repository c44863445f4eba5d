import { findServers } from '@billing/local-system/running-system';
import { Client } from 'pg';
import { inject } from 'vitest';

/**
 * Makes the sessions of a user older, by seconds. Uses SQL because nothing but time makes them older.
 * `passwordCheckedAt` ages with them.
 */
export async function ageSessions(userId: string, seconds: number): Promise<void> {
  const client = new Client({ connectionString: findServers(inject('dataDir'), 'gateway').databaseUrl });
  await client.connect();
  try {
    const columns = ['createdAt', 'updatedAt', 'expiresAt', 'passwordCheckedAt'];
    const older = columns.map(column => `"${column}" = "${column}" - make_interval(secs => $2)`);
    await client.query(`update auth.session set ${older.join(', ')} where "userId" = $1`, [userId, seconds]);
  } finally {
    await client.end();
  }
}
