import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { CustomerCopy } from './customer-copy.entity.ts';
import { CreateReferrals } from './migrations/0001-create-referrals.ts';
import { Program } from './program.entity.ts';
import { Referral } from './referral.entity.ts';
import { ReferralCode } from './referral-code.entity.ts';
import { ReferralCredit } from './referral-credit.entity.ts';

const entities = [CustomerCopy, Program, Referral, ReferralCode, ReferralCredit];

/** Returns the database of referrals; it connects at the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'referrals',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, ...entities],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-referrals', class: CreateReferrals },
    ],
  });
}
