import { defineEntity, p } from '@mikro-orm/postgresql';
import { referralState, type ReferralState } from '@billing/contracts/events/referrals';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { CustomerId, ProjectId, ReferralId, TeamId } from '@billing/contracts/ids';
import type { ReferralStatus } from '@billing/contracts/resources/referral';

const ReferralSchema = defineEntity({
  name: 'Referral',
  tableName: 'referrals',
  indexes: [
    { name: 'referrals_newest', properties: ['teamId', 'projectId', 'createdAt'] },
    { name: 'referrals_of_code', properties: ['teamId', 'projectId', 'code', 'createdAt'] },
    { name: 'referrals_of_referrer', properties: ['teamId', 'projectId', 'referrerCustomerId', 'createdAt'] },
  ],
  uniques: [
    { name: 'referrals_one_per_referee', properties: ['teamId', 'projectId', 'refereeCustomerId'] },
    { name: 'referrals_operation_key_unique', properties: ['teamId', 'projectId', 'operationKey'] },
  ],
  properties: {
    id: p.text().$type<ReferralId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    code: p.text(),
    referrerCustomerId: p.text().$type<CustomerId>(),
    refereeCustomerId: p.text().$type<CustomerId>(),
    status: p.text().$type<ReferralStatus>(),
    createdAt: p.datetime(),
    convertedAt: p.datetime().nullable(),
    /** When its credits were earned; null until a subscription of the referee was active or trialing. */
    earnedAt: p.datetime().nullable(),
    /** Set by a request with an `Idempotency-Key`: a repeat after a crash finds the row. */
    operationKey: p.uuid().nullable(),
  },
});

/** One use of a code by a new customer. */
export class Referral extends ReferralSchema.class {}
ReferralSchema.setClass(Referral);

/** Returns a referral's state as events carry it; HTTP responses show some of its fields. */
export const toState = (referral: Referral): ReferralState =>
  fieldsOf(referralState, referral, { convertedAt: referral.convertedAt ?? null });
