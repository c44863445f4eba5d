import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { Customer } from './customer.entity.ts';
import { CreateReferrals } from './migrations/0001-create-referrals.ts';
import { VersionCreditKeys } from './migrations/0002-version-credit-keys.ts';
import { Program } from './program.entity.ts';
import { Referral } from './referral.entity.ts';
import { ReferralCode } from './referral-code.entity.ts';
import { ReferralCredit } from './referral-credit.entity.ts';

/** The schema of referrals; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'referrals',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, Customer, Program, Referral, ReferralCode, ReferralCredit],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-referrals', class: CreateReferrals },
      { name: '0002-version-credit-keys', class: VersionCreditKeys },
    ],
  });
}
