import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, Problem } from '@billing/contracts/problem';
import { AccountPurge, ProcessorAccount } from '#persistence/processor-account.entity.ts';

/** An account at Stripe: one id has a test mode and a live mode, which share nothing. */
export interface AccountIdentity {
  readonly accountId: string;
  readonly livemode: boolean;
}

interface RecordCounts {
  readonly customers: number;
  readonly products: number;
  readonly prices: number;
  readonly subscriptions: number;
}

/**
 * Checks that a team which has records of a Stripe account is connected to no other one, also after a disconnect: the
 * records would name objects that the new account does not have.
 * @throws Problem 409 `processor_mismatch`; 409 `processor_purge_running` while the records of the last one are deleted
 */
export async function checkSameAccount(em: EntityManager, teamId: TeamId, given: AccountIdentity): Promise<void> {
  if (await em.findOne(AccountPurge, { teamId }))
    throw conflict('processor_purge_running', 'The records of the last account are still being deleted.', 5);
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
async function countRecords(em: EntityManager, teamId: TeamId): Promise<RecordCounts> {
  const [counts] = await em.execute<RecordCounts[]>(
    `select count(*) filter (where kind = 'customer')::int as customers,
            count(*) filter (where kind = 'product')::int as products,
            count(*) filter (where kind = 'price')::int as prices,
            count(*) filter (where kind = 'subscription')::int as subscriptions
       from routes where team_id = ? and not deleted`,
    [teamId],
  );
  return counts ?? { customers: 0, products: 0, prices: 0, subscriptions: 0 };
}
