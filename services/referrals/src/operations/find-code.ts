import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import { Referral, stateOf } from '#persistence/referral.entity.ts';
import { ReferralCode } from '#persistence/referral-code.entity.ts';

/**
 * A code of the project, exactly as spelled.
 * @throws Problem 404 `referral_code_not_found`; a code of another project is as absent as one that never was
 */
export function findCode(
  em: EntityManager,
  scope: ProjectScope,
  code: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<ReferralCode> {
  return em.findOneOrFail(ReferralCode, { ...scope, code }, { lockMode, failHandler: () => notFound('referral_code') });
}

/**
 * A code and a page of the referrals made with it, the newest first.
 * @throws Problem 404 `referral_code_not_found`
 */
export function describeCode(em: EntityManager) {
  return async (scope: ProjectScope, code: string, page: Page) => {
    const fork = em.fork();
    const found = await findCode(fork, scope, code);
    const order = { ...page, orderBy: { createdAt: 'desc', id: 'asc' } } as const;
    const [referrals, total] = await fork.findAndCount(Referral, { ...scope, code }, order);
    return { code: found, referrals: referrals.map(stateOf), pagination: paginate(page, referrals.length, total) };
  };
}
