import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const ReferralCodeSchema = defineEntity({
  name: 'ReferralCode',
  tableName: 'referral_codes',
  indexes: [
    { name: 'referral_codes_newest', properties: ['teamId', 'projectId', 'createdAt'] },
    { name: 'referral_codes_customer', properties: ['teamId', 'projectId', 'customerId'] },
  ],
  uniques: [
    {
      name: 'referral_codes_one_active_per_customer',
      properties: ['teamId', 'projectId', 'customerId'],
      where: 'is_active',
    },
    { name: 'referral_codes_operation_key_unique', properties: ['teamId', 'projectId', 'operationKey'] },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    code: p.text().primary(),
    /** The referrer. */
    customerId: p.text().$type<CustomerId>(),
    isActive: p.boolean(),
    /** 1 when created, 2 once deactivated. */
    version: p.integer(),
    createdAt: p.datetime(),
    deactivatedAt: p.datetime().nullable(),
    /** Set by a request with an `Idempotency-Key`: a repeat after a crash finds the row. */
    operationKey: p.uuid().nullable(),
  },
});

/** The code with which a customer refers others. */
export class ReferralCode extends ReferralCodeSchema.class {}
ReferralCodeSchema.setClass(ReferralCode);
