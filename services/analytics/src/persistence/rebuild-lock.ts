import type { ProjectScope } from '@billing/contracts/ids';
import { postgresConnection } from '@billing/database/connection';
import { WITHOUT_LIMITS } from '@billing/database/session-settings';
import { Client } from 'pg';

/** Runs work while no other process rebuilds the same project. */
export type WithRebuildLock = <Result>(scope: ProjectScope, work: () => Promise<Result>) => Promise<Result>;

/** Serializes rebuilds of a project across processes. Calls `onWait` when another rebuild holds the lock. */
export function rebuildLock(databaseUrl: string, onWait: (scope: ProjectScope) => void): WithRebuildLock {
  return async (scope, work) => {
    // The lock belongs to a transaction, which a pooler too keeps on one connection, and ends when the process dies. Between its
    // statements it has no snapshot that vacuuming would wait for.
    const client = new Client({ ...postgresConnection(databaseUrl), application_name: 'billing-analytics-rebuild' });
    // Losing the lock is safe: a superseded rebuild can't make its generation the current one.
    client.on('error', () => undefined);
    await client.connect();
    try {
      const key = `rebuild ${scope.teamId} ${scope.projectId}`;
      await client.query('begin');
      await client.query(WITHOUT_LIMITS);
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
        [key],
      );
      if (!rows[0]?.taken) {
        onWait(scope);
        await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
      }
      return await work();
    } finally {
      await client.end();
    }
  };
}
