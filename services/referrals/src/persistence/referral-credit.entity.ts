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
    /** Smallest unit of `currency`, above zero. */
    amount: p.integer(),
    currency: p.text(),
    status: p.text().$type<(typeof CREDIT_STATUSES)[number]>(),
    attempts: p.integer(),
    /** Why the last attempt failed. */
    error: p.text().nullable(),
    processorTransactionId: p.text().nullable(),
    createdAt: p.datetime(),
    creditedAt: p.datetime().nullable(),
    /** When it is tried next, by the clock of the database; whoever tries it moves it ahead, which is the claim. */
    dueAt: p.datetime(),
    /** Which of the credit's idempotency keys it is sent under. */
    keyVersion: p.integer().default(1),
    /** Since when the processor may have made the credit under this key; null while nothing was sent under it. */
    sentAt: p.datetime().nullable(),
    /** The processor's customer that was named under this key. */
    processorCustomerId: p.text().nullable(),
    /** Since when nothing is sent under this key any more; then the processor is asked what became of it. */
    closedAt: p.datetime().nullable(),
  },
});

/** The ledger: one side's credit for one conversion. */
export class ReferralCredit extends ReferralCreditSchema.class {}
ReferralCreditSchema.setClass(ReferralCredit);
