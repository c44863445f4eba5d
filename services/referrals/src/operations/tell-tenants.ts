import { referral as referralSchema, referralCode as codeSchema } from '@billing/contracts/resources/referral';
import type { Publish } from '@billing/messaging/outbox';
import { publishResource, type Source } from '@billing/service/publish-resource';
import type { ReferralCode } from '#persistence/referral-code.entity.ts';
import { toResource, type ReferralCredit } from '#persistence/referral-credit.entity.ts';
import { toState, type Referral } from '#persistence/referral.entity.ts';

/** Tells tenants that a code was created, or deactivated: it changes once. */
export function tellOfCode(publish: Publish, code: ReferralCode, source: Source): void {
  const { teamId, projectId, code: id, customerId, isActive, createdAt } = code;
  const after = codeSchema.encode({ code: id, customerId, projectId, isActive, createdAt });
  const before = isActive ? null : { ...after, isActive: true };
  const row = { teamId, projectId, sequence: isActive ? 0 : 1 };
  publishResource(publish, row, { ...source, object: { type: 'referral_code', id }, before, after });
}

/** Tells tenants that a referral was made, or converted: it changes once. */
export function tellOfReferral(publish: Publish, referral: Referral, source: Source): void {
  const { teamId, projectId, id, status } = referral;
  const { projectId: _projectId, ...state } = toState(referral);
  const after = referralSchema.encode(state);
  const isNew = status === 'pending';
  const before = isNew ? null : { ...after, status: 'pending', convertedAt: null };
  const row = { teamId, projectId, sequence: isNew ? 0 : 1 };
  publishResource(publish, row, { ...source, object: { type: 'referral', id }, before, after });
}

/** Tells tenants that a credit is on the customer's balance, or has failed. The caller saves the row. */
export function tellOfCredit(publish: Publish, credit: ReferralCredit, source: Source): void {
  const { id, referralId, customerId, amount, currency, status } = toResource(credit);
  const after = { id, referralId, customerId, amount, currency, status };
  // What was told of before is that it had failed.
  const before = credit.sequence === 0 ? null : { ...after, status: 'failed' };
  const type = status === 'failed' ? 'referral_credit.failed' : 'referral_credit.credited';
  publishResource(publish, credit, { ...source, object: { type: 'referral_credit', id }, before, after, type });
}
