import { LockMode, raw, type EntityManager } from '@mikro-orm/postgresql';
import { ReferralCredited } from '@billing/contracts/events/referrals';
import { record } from '@billing/messaging/outbox';
import { ReferralCredit } from '#persistence/referral-credit.entity.ts';
import type { ClaimedCredit } from './claim-credits.ts';

type Changes = Partial<
  Pick<ReferralCredit, 'status' | 'error' | 'keyVersion' | 'sentAt' | 'processorCustomerId' | 'closedAt'>
>;

/**
 * Notes what a claim has come to, and answers whether it still held: of one that has run out nothing is kept, for
 * another may have followed it. `waitMs` puts the next attempt off. Both by the database's clock.
 */
export function keepCredit(em: EntityManager, claim: ClaimedCredit, changes: Changes, waitMs?: number) {
  const { referralId, side, teamId, projectId, attempts } = claim;
  return em.fork().transactional(async tx => {
    const held = { referralId, side, teamId, projectId, attempts, status: 'pending' as const };
    const where = { ...held, dueAt: { $gt: raw('clock_timestamp()') } };
    const credit = await tx.findOne(ReferralCredit, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!credit) return false;
    tx.assign(credit, changes);
    if (waitMs !== undefined)
      await tx.execute(
        `update referral_credits set due_at = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
          where referral_id = ? and side = ?`,
        [waitMs, referralId, side],
      );
    return true;
  });
}

/** Notes that the processor has made a credit, and tells of it once; it holds whoever has claimed the credit since. */
export async function keepCredited(
  em: EntityManager,
  { referralId, side, teamId, projectId }: ClaimedCredit,
  processorTransactionId: string,
  creditedAt: Date,
): Promise<void> {
  await em.fork().transactional(async tx => {
    const unsettled = { referralId, side, teamId, projectId, status: { $ne: 'credited' as const } };
    const credit = await tx.findOne(ReferralCredit, unsettled, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!credit) return;
    tx.assign(credit, { status: 'credited', processorTransactionId, creditedAt, error: null });
    const { customerId, amount, currency } = credit;
    record(tx, ReferralCredited, teamId, { referralId, projectId, side, customerId, amount, currency });
  });
}
