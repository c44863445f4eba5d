import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, Problem } from '@billing/contracts/problem';
import { CountMirrored } from '@billing/contracts/rpc/accounts';
import { executeBound } from '@billing/database/bound-statement';
import type { Publish } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { ENDED } from '@billing/processor/turns';
import { CHANGE_COLUMNS, countChanges, former, type Change } from '#pipeline/event-totals';
import { teamSchemaName } from '#pipeline/raw-object.rules';
import { OTHER_ACCOUNT } from '#pipeline/unrouted.rules';
import { ProcessorAccount } from './processor-account.entity.ts';
import { hasOpenPurge } from './purge-account.ts';

/** An account at Stripe: one id has a test mode and a live mode, which share nothing. */
export interface AccountIdentity {
  readonly accountId: string;
  readonly livemode: boolean;
}

/** Short, since the receipt of the team's events waits, in milliseconds. */
const TIMEOUT_MS = 2_000;

interface CountingParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
}

/**
 * Checks that a team which has records of a Stripe account, or work on it under way, is connected to no other one, also after a
 * disconnect: the records would name objects that the new account does not have. The owners of the records count them.
 * @throws Problem 409 `processor_mismatch`; 409 `processor_purge_running` while the records of the last one are deleted; 503
 * when an owner does not reply
 */
export async function checkSameAccount(parts: CountingParts, teamId: TeamId, given: AccountIdentity): Promise<void> {
  const known = await findOther(parts.em, teamId, given);
  if (known) await requireNone(parts, known, given, null);
}

/**
 * Does the same in the transaction that connects the account and holds the team's lock; what it finds holds until the end. Writes
 * that begin meanwhile wait for the new credentials, whose version is the next one. What is left to be done about the last
 * account is given up: syncs, events that have found no project or have failed, and the raw objects in the team's schema.
 */
export async function leaveOtherAccount(
  parts: CountingParts,
  teamId: TeamId,
  given: AccountIdentity,
  publish: Publish,
): Promise<void> {
  const { em: tx } = parts;
  const known = await findOther(tx, teamId, given);
  if (!known) return;
  // A sync stores nothing more once this is written.
  await tx.execute(
    `update syncs set status = 'canceled', ${ENDED} where team_id = ? and status in ('queued', 'running')`,
    [teamId],
  );
  await requireNone(parts, known, given, known.version + 1);
  const left = await executeBound<Change>(
    tx,
    `with ${former(`e.team_id = $1 and ${IS_LEFT}`)}
     update webhook_events e
        set status = 'ignored', error = '${OTHER_ACCOUNT}', due_at = null, lease_id = null, waiting_for = null,
            awaiting = '{}', failed_in = '{}', processed_at = clock_timestamp()
       from former f where e.team_id = f.team_id and e.id = f.id returning ${CHANGE_COLUMNS}`,
    [teamId],
  );
  await tx.execute(`drop schema if exists ${tx.getPlatform().quoteIdentifier(teamSchemaName(teamId))} cascade`);
  await countChanges(tx, publish, left);
}

/** Finds the account of which the team may have records, if it is not the given one. */
async function findOther(em: EntityManager, teamId: TeamId, given: AccountIdentity): Promise<ProcessorAccount | null> {
  if (await hasOpenPurge(em, teamId))
    throw conflict('processor_purge_running', 'The records of the last account are still being deleted.', 5);
  const known = await em.findOne(ProcessorAccount, { teamId });
  return known && (known.accountId !== given.accountId || known.livemode !== given.livemode) ? known : null;
}

/** Rows of `webhook_events` about which something may still be done. */
const IS_LEFT = `(due_at is not null or status = 'failed')`;

/** Refuses if anything is recorded or under way. With a fence, events stay as they are until the transaction ends. */
async function requireNone(
  { em, rpc }: CountingParts,
  { teamId, accountId, livemode }: ProcessorAccount,
  given: AccountIdentity,
  fence: number | null,
): Promise<void> {
  // Before the records: an event that is completed in between has made its record.
  const events = await em.execute<{ isOpen: boolean }[]>(
    `select status = 'received' and (waiting_for is null or lease_id is not null) as "isOpen"
       from webhook_events where team_id = ? and ${IS_LEFT} ${fence === null ? '' : 'for update'}`,
    [teamId],
  );
  const counted = await Promise.all(
    Object.values(CountMirrored).map(owner => rpc.call(owner, { teamId, fence }, TIMEOUT_MS)),
  );
  const open = events.filter(({ isOpen }) => isOpen).length;
  const operations = counted.reduce((sum, it) => sum + it.operations, open);
  const found = counted.flatMap(it => Object.entries(it.records)).filter(([, count]) => count > 0);
  if (operations === 0 && found.length === 0) return;
  const records = { customers: 0, products: 0, prices: 0, coupons: 0, subscriptions: 0, ...Object.fromEntries(found) };
  throw new Problem(
    'conflict',
    'processor_mismatch',
    'The key belongs to another account or mode than the records of this team. Connect the same account, or disconnect with purge=true first.',
    { details: { connected: { accountId, livemode }, given, records, ...(operations > 0 && { operations }) } },
  );
}
