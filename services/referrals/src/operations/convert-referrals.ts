import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { earnedCredits } from '#domain/credit.ts';
import { saveSubscribers, type Subscriber } from '#persistence/customer-copies.ts';
import { findPrograms } from '#persistence/programs.ts';
import { ReferralCredit } from '#persistence/referral-credit.entity.ts';
import type { Referral } from '#persistence/referral.entity.ts';
import { convertPendingReferrals, earnConvertedReferrals, type NewSubscription } from '#persistence/referrals.ts';
import { publishReferral } from './publish-changes.ts';
import { toCreditOperation, type CreditKind } from './credit-balance.ts';

export interface ConvertReferralsDependencies {
  readonly operationLog: Pick<OperationLog, 'enqueue'>;
  readonly creditKind: CreditKind;
  readonly now: () => Date;
}

interface NotedSubscriber extends Subscriber, NewSubscription {
  /** True for a new subscription that no sync found. */
  readonly converts: boolean;
  readonly trace: TraceCarrier;
}

/**
 * Notes that customers have subscribed, converts their pending referrals, and once a subscription is active or trialing
 * enqueues the credits of both sides, in the caller's transaction and whatever the order of the events. A subscription that
 * started before the referral does neither: it became known late, because its events came late or its customer was linked
 * to one that had it. The current amounts of the program apply, even while it is disabled: the credits were promised when
 * the code was applied. A customer without a pending referral can no longer be referred.
 */
export function convertReferrals({ operationLog, creditKind, now }: ConvertReferralsDependencies) {
  return async (tx: EntityManager, subscribers: readonly NotedSubscriber[], publish: Publish): Promise<void> => {
    // Locks the customers' rows first: nothing else converts or applies a code for them meanwhile.
    await saveSubscribers(tx, subscribers);
    const at = now();
    const converting = subscribers.filter(({ converts }) => converts);
    for (const referral of await convertPendingReferrals(tx, converting, at)) {
      const subscriber = subscribers.find(one => isReferee(referral, one));
      publishReferral(publish, referral, { at, cause: CAUSED_BY_SYSTEM, trace: subscriber?.trace });
    }
    const earned = await earnConvertedReferrals(tx, subscribers, at);
    if (earned.length === 0) return;
    const credits = await insertCredits(tx, earned, at);
    await operationLog.enqueue(tx, creditKind, credits.map(toCreditOperation));
  };
}

const isReferee = ({ teamId, projectId, refereeCustomerId }: Referral, subscriber: Subscriber): boolean =>
  refereeCustomerId === subscriber.customerId && projectId === subscriber.projectId && teamId === subscriber.teamId;

/** Adds the credits of referrals to the ledger, and returns them. */
async function insertCredits(
  tx: EntityManager,
  referrals: readonly Referral[],
  createdAt: Date,
): Promise<ReferralCredit[]> {
  const programOf = await findPrograms(tx, referrals);
  return referrals.flatMap(referral => {
    const { id: referralId, teamId, projectId } = referral;
    return earnedCredits(referral, programOf(referral)).map(earned =>
      tx.create(ReferralCredit, {
        ...earned,
        referralId,
        teamId,
        projectId,
        status: 'pending',
        attempts: 0,
        error: null,
        processorTransactionId: null,
        createdAt,
        creditedAt: null,
        sequence: 0,
      }),
    );
  });
}
