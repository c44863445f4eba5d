import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, Problem } from '@billing/contracts/problem';
import type { ReferenceKind } from '#domain/route-hints.ts';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';

/** An account at Stripe: one id has a test mode and a live mode, which share nothing. */
export interface AccountIdentity {
  readonly accountId: string;
  readonly livemode: boolean;
}

/**
 * Checks that a team which has records of a Stripe account is connected to no other one, also after a disconnect: the
 * records would name objects that the new account does not have.
 * @throws Problem 409 `processor_mismatch`; 409 `processor_purge_running` while the records of the last one are deleted
 */
export async function checkSameAccount(em: EntityManager, teamId: TeamId, given: AccountIdentity): Promise<void> {
  const [purge] = await em.execute<unknown[]>(`select 1 from account_purges where team_id = ?`, [teamId]);
  if (purge) throw conflict('processor_purge_running', 'The records of the last account are still being deleted.', 5);
  const known = await em.findOne(ProcessorAccount, { teamId });
  if (!known || known.purgedAt || (known.accountId === given.accountId && known.livemode === given.livemode)) return;
  const records = await countRecords(em, teamId);
  if (Object.values(records).every(count => count === 0)) return;
  const { accountId, livemode } = known;
  throw new Problem(
    'conflict',
    'processor_mismatch',
    'The key belongs to another account or mode than the records of this team. Connect the same account, or disconnect with purge=true first.',
    { details: { connected: { accountId, livemode }, given: { ...given }, records } },
  );
}

/** Counts what mirrors the account, in all projects of the team, by the routes that events of the records have saved. */
async function countRecords(em: EntityManager, teamId: TeamId) {
  const rows = await em.execute<{ kind: ReferenceKind; count: number }[]>(
    `select kind, count(*)::int as count from routes where team_id = ? and not deleted group by kind`,
    [teamId],
  );
  const of = (wanted: ReferenceKind) => rows.find(({ kind }) => kind === wanted)?.count ?? 0;
  return { customers: of('customer'), products: of('product'), prices: of('price'), subscriptions: of('subscription') };
}
