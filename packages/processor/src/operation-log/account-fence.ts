import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { MAX_COUNTED } from '@billing/contracts/pagination';
import type { CountMirrored } from '@billing/contracts/rpc/accounts';
import { executeBound } from '@billing/database/bound-statement';
import { inTransaction } from '@billing/database/transaction';
import type { z } from 'zod';

const AccountFenceSchema = defineEntity({
  name: 'AccountFence',
  tableName: 'account_fences',
  properties: {
    teamId: p.text().primary(),
    /** Operations are sent with credentials of this version or a newer one. */
    version: p.integer(),
  },
});

/** From which version of its credentials on a team's operations may be sent: those before may be of another account. */
export class AccountFence extends AccountFenceSchema.class {}
AccountFenceSchema.setClass(AccountFence);

/** The fence of a row of `remote_operations`; 0 for none. */
export const FENCE = `coalesce((select version from account_fences f where f.team_id = remote_operations.team_id), 0)`;

type Counting = (typeof CountMirrored)['catalog'];

/**
 * Counts what a service has of a team's account (`CountMirrored`): `records` names the rows of each kind, as a table with a
 * condition on the rows of the team.
 */
export const countMirrored =
  (em: EntityManager, records: Readonly<Record<string, string>> = {}) =>
  ({ teamId, fence }: z.output<Counting['request']>): Promise<z.output<Counting['reply']>> =>
    inTransaction(em, async tx => {
      if (fence !== null) await raiseFence(tx, teamId, fence);
      const kinds = Object.entries({ ...records, operations: 'remote_operations where due_at is not null' });
      const counts = kinds.map(
        ([kind, rows]) =>
          `(select count(*)::int from (select 1 from ${rows} and team_id = $1 limit ${MAX_COUNTED}) c) as "${kind}"`,
      );
      const [{ operations = 0, ...counted } = {}] = await executeBound<Record<string, number>>(
        tx,
        `select ${counts.join(', ')}`,
        [teamId],
      );
      return { records: counted, operations };
    });

async function raiseFence(tx: EntityManager, teamId: string, fence: number): Promise<void> {
  await executeBound(tx, `select pg_advisory_xact_lock(${LOCK})`, [teamId]);
  await executeBound(
    tx,
    `insert into account_fences as known (team_id, version) values ($1, $2)
     on conflict (team_id) do update set version = greatest(known.version, excluded.version)`,
    [teamId, fence],
  );
}

/** Orders the operations that the caller's transaction logs next and a fence: they are counted, or stand behind it. */
export async function passFence(tx: EntityManager, teamId: string): Promise<void> {
  await executeBound(tx, `select pg_advisory_xact_lock_shared(${LOCK})`, [teamId]);
}

const LOCK = `hashtextextended('account-fence/' || $1, 0)`;
