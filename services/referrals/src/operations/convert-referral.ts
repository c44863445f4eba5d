import type { EntityManager } from '@mikro-orm/postgresql';
import { ReferralConverted } from '@billing/contracts/events/referrals';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { record } from '@billing/messaging/outbox';
import { creditsEarned, type EarnedCredit } from '#domain/credit.ts';
import { keepSubscribed } from '#persistence/customers.ts';
import { Referral, stateOf } from '#persistence/referral.entity.ts';
import { findProgram } from './find-program.ts';

interface Subscribed {
  readonly refereeCustomerId: CustomerId;
  readonly subscribedAt: Date;
  readonly now: Date;
}

/**
 * Converts the pending referral of a customer who has subscribed, in the caller's transaction, and enters in the ledger
 * what both sides earn by the program as it stands, disabled or not: the promise was made when the code was applied.
 * Without a pending referral it only notes that the customer can't be referred any more.
 */
export async function convertReferral(
  tx: EntityManager,
  scope: ProjectScope,
  { refereeCustomerId, subscribedAt, now }: Subscribed,
): Promise<void> {
  await keepSubscribed(tx, scope, refereeCustomerId, subscribedAt);
  // The referee's row is ours until the end, so nobody else converts or applies meanwhile.
  const referral = await tx.findOne(Referral, { ...scope, refereeCustomerId, status: 'pending' });
  if (!referral) return;
  tx.assign(referral, { status: 'converted', convertedAt: now });
  record(tx, ReferralConverted, scope.teamId, stateOf(referral));
  const credits = creditsEarned(referral, await findProgram(tx, scope));
  for (const credit of credits) await enter(tx, referral, credit, now);
}

/** The time it is due comes from the database, by whose clock credits are claimed. */
async function enter(tx: EntityManager, referral: Referral, credit: EarnedCredit, now: Date): Promise<void> {
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
