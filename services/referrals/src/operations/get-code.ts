import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import { Referral, toState } from '#persistence/referral.entity.ts';
import { findCode } from '#persistence/referral-codes.ts';

export interface GetCodeDependencies {
  readonly em: EntityManager;
}

/**
 * Returns a code and a page of its referrals, newest first.
 * @throws Problem 404 `referral_code_not_found`
 */
export function getCode({ em }: GetCodeDependencies) {
  return async (scope: ProjectScope, code: string, page: Page) => {
    const fork = em.fork();
    const found = await findCode(fork, scope, code);
    const order = { ...page, orderBy: { createdAt: 'desc', id: 'asc' } } as const;
    const [referrals, total] = await fork.findAndCount(Referral, { ...scope, code }, order);
    return { code: found, referrals: referrals.map(toState), pagination: paginate(page, referrals.length, total) };
  };
}
