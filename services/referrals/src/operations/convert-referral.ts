import type { EntityManager } from '@mikro-orm/postgresql';
import { ReferralConverted } from '@billing/contracts/events/referrals';
import { record } from '@billing/messaging/outbox';
import { executeBound } from '@billing/service/bound-statement';
import { creditsEarned, type EarnedCredit } from '#domain/credit.ts';
import { keepSubscribed, type Subscriber } from '#persistence/customers.ts';
import { Referral, stateOf } from '#persistence/referral.entity.ts';
import { findProgram } from './find-program.ts';

/**
 * Converts the pending referral of a customer who has subscribed, in the caller's transaction, and enters in the ledger
 * what both sides earn by the program as it stands, disabled or not: the promise was made when the code was applied.
 * Without a pending referral it only notes that the customer can't be referred any more.
 */
export async function convertReferral(tx: EntityManager, subscriber: Subscriber, now: Date): Promise<void> {
  const { teamId, projectId, customerId: refereeCustomerId } = subscriber;
  const scope = { teamId, projectId };
  await keepSubscribed(tx, [subscriber]);
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

/**
 * Notes of many customers that they have subscribed, in the caller's transaction, and answers those whose pending
 * referral is still to be converted. It holds the rows of all, so that none is referred meanwhile.
 */
export async function noteSubscribers<One extends Subscriber>(
  tx: EntityManager,
  subscribers: readonly One[],
): Promise<ReadonlySet<One>> {
  await keepSubscribed(tx, subscribers);
  const rows = await executeBound<{ place: number }>(
    tx,
    `select s.place
       from json_to_recordset($1::json) as s (place int, "teamId" text, "projectId" text, "customerId" text)
       join referrals r on r.team_id = s."teamId" and r.project_id = s."projectId"
                       and r.referee_customer_id = s."customerId"
      where r.status = 'pending'`,
    [
      JSON.stringify(
        subscribers.map(({ teamId, projectId, customerId }, place) => ({ place, teamId, projectId, customerId })),
      ),
    ],
  );
  const places = new Set(rows.map(({ place }) => place));
  return new Set(subscribers.filter((_, place) => places.has(place)));
}
