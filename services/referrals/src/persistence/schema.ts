import type { ServiceSchema } from '@billing/service/definition';
import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { CustomerCopy } from './customer-copy.entity.ts';
import { CreateReferrals } from './migrations/0001-create-referrals.ts';
import { Program } from './program.entity.ts';
import { ReferralCode } from './referral-code.entity.ts';
import { ReferralCredit } from './referral-credit.entity.ts';
import { Referral } from './referral.entity.ts';

/** The tables of referrals and its log of writes to the processor. */
export const referralsSchema: ServiceSchema = {
  entities: [CustomerCopy, Program, Referral, ReferralCode, ReferralCredit, ...operationLogEntities],
  migrations: [...operationLogMigrations, { name: '0001-create-referrals', class: CreateReferrals }],
};
