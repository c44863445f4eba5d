import type { EntityManager } from '@mikro-orm/postgresql';
import { ReferralConverted } from '@billing/contracts/events/referrals';
import { record } from '@billing/messaging/outbox';
import { executeBound } from '@billing/service/bound-statement';
import { earnedCredits, type EarnedCredit } from '#domain/credit.ts';
import { recordSubscribers, type Subscriber } from '#persistence/customer-copies.ts';
import { findProgram } from '#persistence/programs.ts';
import { Referral, toState } from '#persistence/referral.entity.ts';

/**
 * Converts the pending referral of a customer who has subscribed, in the caller's transaction, and adds both sides'
 * credits to the ledger. The current amounts of the program apply, even while it is disabled: the credits were promised
 * when the code was applied. Without a pending referral, the customer can no longer be referred.
 */
export async function convertReferral(tx: EntityManager, subscriber: Subscriber, now: Date): Promise<void> {
  const { teamId, projectId, customerId: refereeCustomerId } = subscriber;
  const scope = { teamId, projectId };
  // Locks the referee's row: nothing else converts or applies a code for this customer meanwhile.
  await recordSubscribers(tx, [subscriber]);
  const referral = await tx.findOne(Referral, { ...scope, refereeCustomerId, status: 'pending' });
  if (!referral) return;
  tx.assign(referral, { status: 'converted', convertedAt: now });
  record(tx, ReferralConverted, scope.teamId, toState(referral));
  const credits = earnedCredits(referral, await findProgram(tx, scope));
  for (const credit of credits) await insertCredit(tx, referral, credit, now);
}

/** `due_at` comes from the database, because credits are leased by its clock. */
async function insertCredit(tx: EntityManager, referral: Referral, credit: EarnedCredit, now: Date): Promise<void> {
  const { id, teamId, projectId } = referral;
  const { side, customerId, amount, currency } = credit;
  await tx.execute(
    `insert into referral_credits
       (referral_id, side, team_id, project_id, customer_id, amount, currency, status, attempts, created_at, due_at)
     values (?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?::timestamptz, clock_timestamp())
     on conflict (referral_id, side) do nothing`,
    [id, side, teamId, projectId, customerId, amount, currency, now.toISOString()],
  );
}

/**
 * Records that many customers have subscribed, in the caller's transaction, and returns those whose pending referral has
 * to be converted. Locks the rows of all, so that none of them is referred meanwhile.
 */
export async function findSubscribersToConvert<One extends Subscriber>(
  tx: EntityManager,
  subscribers: readonly One[],
): Promise<ReadonlySet<One>> {
  await recordSubscribers(tx, subscribers);
  const rows = await executeBound<{ index: number }>(
    tx,
    `select s.index
       from json_to_recordset($1::json) as s (index int, "teamId" text, "projectId" text, "customerId" text)
       join referrals r on r.team_id = s."teamId" and r.project_id = s."projectId"
                       and r.referee_customer_id = s."customerId"
      where r.status = 'pending'`,
    [
      JSON.stringify(
        subscribers.map(({ teamId, projectId, customerId }, index) => ({ index, teamId, projectId, customerId })),
      ),
    ],
  );
  const indexes = new Set(rows.map(({ index }) => index));
  return new Set(subscribers.filter((_, index) => indexes.has(index)));
}
