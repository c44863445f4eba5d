import { LockMode, raw, type EntityManager } from '@mikro-orm/postgresql';
import { ReferralCredited } from '@billing/contracts/events/referrals';
import { record } from '@billing/messaging/outbox';
import { ReferralCredit } from '#persistence/referral-credit.entity.ts';
import type { LeasedCredit } from './lease-credits.ts';

type Changes = Partial<
  Pick<ReferralCredit, 'status' | 'error' | 'keyVersion' | 'sentAt' | 'processorCustomerId' | 'closedAt'>
>;

/**
 * Saves changes of a leased credit, and returns whether the lease was still valid. After the lease has expired nothing is
 * saved, because another process may hold the next one. `delayMs` postpones the next attempt. Both by the database's
 * clock.
 */
export function saveCredit(em: EntityManager, leased: LeasedCredit, changes: Changes, delayMs?: number) {
  const { referralId, side, teamId, projectId, attempts } = leased;
  return em.fork().transactional(async tx => {
    const key = { referralId, side, teamId, projectId, attempts, status: 'pending' as const };
    const where = { ...key, dueAt: { $gt: raw('clock_timestamp()') } };
    const credit = await tx.findOne(ReferralCredit, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!credit) return false;
    tx.assign(credit, changes);
    if (delayMs !== undefined)
      await tx.execute(
        `update referral_credits set due_at = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
          where referral_id = ? and side = ?`,
        [delayMs, referralId, side],
      );
    return true;
  });
}

/** Saves that the processor has created a credit and publishes it once, also after the lease has expired. */
export async function saveCredited(
  em: EntityManager,
  { referralId, side, teamId, projectId }: LeasedCredit,
  processorTransactionId: string,
  creditedAt: Date,
): Promise<void> {
  await em.fork().transactional(async tx => {
    const notCredited = { referralId, side, teamId, projectId, status: { $ne: 'credited' as const } };
    const credit = await tx.findOne(ReferralCredit, notCredited, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!credit) return;
    tx.assign(credit, { status: 'credited', processorTransactionId, creditedAt, error: null });
    const { customerId, amount, currency } = credit;
    record(tx, ReferralCredited, teamId, { referralId, projectId, side, customerId, amount, currency });
  });
}
