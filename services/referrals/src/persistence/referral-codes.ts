import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { ReferralCode } from './referral-code.entity.ts';

/**
 * Returns a code of the project; the spelling is case-sensitive.
 * @throws Problem 404 `referral_code_not_found`, also for a code of another project
 */
export function findCode(
  em: EntityManager,
  scope: ProjectScope,
  code: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<ReferralCode> {
  return em.findOneOrFail(ReferralCode, { ...scope, code }, { lockMode, failHandler: () => notFound('referral_code') });
}
