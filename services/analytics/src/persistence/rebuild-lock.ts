import type { ProjectScope } from '@billing/contracts/ids';
import { Client } from 'pg';

/** Runs work for one project at a time, in whatever process; the lock goes with the connection that holds it. */
export type TakeTurns = <Result>(scope: ProjectScope, work: () => Promise<Result>) => Promise<Result>;

/** Lets rebuilds of one project take turns; `onWait` is told when another is at it. */
export function takeTurns(databaseUrl: string, onWait: (scope: ProjectScope) => void): TakeTurns {
  return async (scope, work) => {
    const client = new Client({ connectionString: databaseUrl, application_name: 'billing-analytics-rebuild' });
    // A lost lock is no danger: only the newest generation of a project can be shown.
    client.on('error', () => undefined);
    await client.connect();
    try {
      const key = `rebuild ${scope.teamId} ${scope.projectId}`;
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
        [key],
      );
      if (!rows[0]?.taken) {
        onWait(scope);
        await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
      }
      return await work();
    } finally {
      await client.end();
    }
  };
}
