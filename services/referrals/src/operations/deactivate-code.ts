import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ReferralCodeDeactivated } from '@billing/contracts/events/referrals';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { record } from '@billing/messaging/outbox';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { findCode } from '#persistence/referral-codes.ts';

export interface DeactivateCodeDependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/**
 * Deactivates a code: it can no longer be applied; its referrals stay. Deactivating it again changes nothing.
 * @throws Problem 404 `referral_code_not_found`
 */
export function deactivateCode({ em, now }: DeactivateCodeDependencies) {
  return (scope: ProjectScope, code: string) =>
    em.fork().transactional(async tx => {
      const found = await findCode(tx, scope, code, LockMode.PESSIMISTIC_WRITE);
      deactivate(tx, found, now());
      return { code, isActive: false as const };
    });
}

/** Deactivates the code of a deleted customer, in the caller's transaction. */
export async function deactivateCodeOfCustomer(
  tx: EntityManager,
  scope: ProjectScope,
  customerId: CustomerId,
  deactivatedAt: Date,
): Promise<void> {
  const where = { ...scope, customerId, isActive: true };
  const codes = await tx.find(ReferralCode, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  for (const code of codes) deactivate(tx, code, deactivatedAt);
}

function deactivate(tx: EntityManager, code: ReferralCode, deactivatedAt: Date): void {
  if (!code.isActive) return;
  tx.assign(code, { isActive: false, version: code.version + 1, deactivatedAt });
  record(tx, ReferralCodeDeactivated, code.teamId, code);
}
