import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, ReferralId, TeamId } from '@billing/contracts/ids';
import { creditIdOf, type CREDIT_STATUSES } from '@billing/contracts/resources/referral';
import type { CreditSide } from '#domain/credit.ts';

const ReferralCreditSchema = defineEntity({
  name: 'ReferralCredit',
  tableName: 'referral_credits',
  indexes: [
    { name: 'referral_credits_newest', properties: ['teamId', 'projectId', 'createdAt'] },
    { name: 'referral_credits_customer', properties: ['teamId', 'projectId', 'customerId', 'createdAt'] },
  ],
  properties: {
    referralId: p.text().$type<ReferralId>().primary(),
    side: p.text().$type<CreditSide>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    /** In the smallest unit of `currency`, above zero. */
    amount: p.integer(),
    currency: p.text(),
    status: p.text().$type<(typeof CREDIT_STATUSES)[number]>(),
    /** Attempts whose outcome was noted. */
    attempts: p.integer(),
    /** Why the last attempt failed. */
    error: p.text().nullable(),
    processorTransactionId: p.text().nullable(),
    createdAt: p.datetime(),
    creditedAt: p.datetime().nullable(),
    /** Of its last event for tenants. */
    sequence: p.integer(),
  },
});

/**
 * An entry of the credit ledger: one side's credit for one conversion. The operation log sends it; the entry shows how it
 * is going.
 */
export class ReferralCredit extends ReferralCreditSchema.class {}
ReferralCreditSchema.setClass(ReferralCredit);

/** Returns an entry as the API shows it. */
export function toResource(row: ReferralCredit) {
  const { error, processorTransactionId, creditedAt, sequence: _sequence, ...credit } = row;
  return {
    ...credit,
    id: creditIdOf(credit),
    error: error ?? null,
    processorTransactionId: processorTransactionId ?? null,
    creditedAt: creditedAt ?? null,
  };
}
