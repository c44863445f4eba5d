import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, ReferralId, TeamId } from '@billing/contracts/ids';
import type { CREDIT_STATUSES } from '@billing/contracts/resources/referral';
import type { CreditSide } from '#domain/credit.ts';

const ReferralCreditSchema = defineEntity({
  name: 'ReferralCredit',
  tableName: 'referral_credits',
  indexes: [
    { name: 'referral_credits_newest', properties: ['teamId', 'projectId', 'createdAt'] },
    { name: 'referral_credits_due', properties: ['dueAt'], where: `status = 'pending'` },
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
    attempts: p.integer(),
    /** Why the last attempt failed. */
    error: p.text().nullable(),
    processorTransactionId: p.text().nullable(),
    createdAt: p.datetime(),
    creditedAt: p.datetime().nullable(),
    /** When the next attempt is due, by the database's clock; during an attempt, the end of its lease. */
    dueAt: p.datetime(),
    /** The version of the idempotency key. */
    keyVersion: p.integer().default(1),
    /** When the credit was first sent with this key; null while nothing was sent with it. */
    sentAt: p.datetime().nullable(),
    /** The processor's customer in the request with this key. */
    processorCustomerId: p.text().nullable(),
    /** When the key was closed: nothing more is sent with it, and the credit is looked up at the processor. */
    closedAt: p.datetime().nullable(),
  },
});

/** An entry of the credit ledger: one side's credit for one conversion. */
export class ReferralCredit extends ReferralCreditSchema.class {}
ReferralCreditSchema.setClass(ReferralCredit);
