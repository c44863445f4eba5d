import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ReferralCodeDeactivated } from '@billing/contracts/events/referrals';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { record } from '@billing/messaging/outbox';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { findCode } from './find-code.ts';

/**
 * Ends a code: nobody can use it any more, and referrals made with it stay. Doing it again changes nothing.
 * @throws Problem 404 `referral_code_not_found`
 */
export function deactivateCode(em: EntityManager, clock: () => Date) {
  return (scope: ProjectScope, code: string) =>
    em.fork().transactional(async tx => {
      const found = await findCode(tx, scope, code, LockMode.PESSIMISTIC_WRITE);
      deactivate(tx, found, clock());
      return { code, isActive: false as const };
    });
}

/** Ends the code of a customer who is gone, in the caller's transaction. */
export async function deactivateCodeOf(tx: EntityManager, scope: ProjectScope, customerId: CustomerId, now: Date) {
  const where = { ...scope, customerId, isActive: true };
  const codes = await tx.find(ReferralCode, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  for (const code of codes) deactivate(tx, code, now);
}

function deactivate(tx: EntityManager, code: ReferralCode, now: Date): void {
  if (!code.isActive) return;
  tx.assign(code, { isActive: false, version: code.version + 1, deactivatedAt: now });
  record(tx, ReferralCodeDeactivated, code.teamId, code);
}
