import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
  ReferralCreditSaved,
} from '@billing/contracts/events/referrals';
import type { Publish } from '@billing/messaging/outbox';
import { publicChangeOf, type Source } from '@billing/service/save-record';
import type { ReferralCode } from '#persistence/referral-code.entity.ts';
import { toResource, type ReferralCredit } from '#persistence/referral-credit.entity.ts';
import { toState, type Referral } from '#persistence/referral.entity.ts';

/** Publishes that a code was created, or deactivated: it changes once. */
export function publishCode(publish: Publish, code: ReferralCode, source: Source): void {
  const { teamId, projectId, code: id, customerId, isActive, version, createdAt } = code;
  const after = { code: id, customerId, projectId, isActive, version, createdAt };
  const before = isActive ? null : { ...after, isActive: true };
  const change = publicChangeOf('referral_code', { before, after }, { sequence: isActive ? 0 : 1 }, source);
  publish(isActive ? ReferralCodeCreated : ReferralCodeDeactivated, teamId, { ...after, change }, source.trace);
}

/** Publishes that a referral was made, or converted: it changes once. */
export function publishReferral(publish: Publish, referral: Referral, source: Source): void {
  const after = toState(referral);
  const isNew = after.status === 'pending';
  const before = isNew ? null : { ...after, status: 'pending', convertedAt: null };
  const change = publicChangeOf('referral', { before, after }, { sequence: isNew ? 0 : 1 }, source);
  publish(isNew ? ReferralCreated : ReferralConverted, referral.teamId, { ...after, change }, source.trace);
}

/** Publishes that a credit is on the customer's balance, or has failed. The caller saves the row. */
export function publishCredit(publish: Publish, credit: ReferralCredit, source: Source): void {
  const { id, referralId, customerId, amount, currency, status, projectId } = toResource(credit);
  const after = { id, referralId, customerId, amount, currency, status, projectId };
  // What was published before is that it had failed; it may fail again.
  const before = credit.sequence === 0 ? null : { ...after, status: 'failed' };
  const also = before && status === 'failed' ? 'referral_credit.failed' : undefined;
  const change = publicChangeOf('referral_credit', { before, after, also }, credit, source);
  if (change) credit.sequence = change.sequence;
  publish(ReferralCreditSaved, credit.teamId, { ...after, change }, source.trace);
}
