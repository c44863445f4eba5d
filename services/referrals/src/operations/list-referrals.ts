import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import type { ReferralStatus } from '@billing/contracts/resources/referral';
import { Referral, toState } from '#persistence/referral.entity.ts';

export interface ListReferralsDependencies {
  readonly em: EntityManager;
}

interface ReferralQuery extends Page {
  readonly refereeCustomerId?: CustomerId | undefined;
  readonly referrerCustomerId?: CustomerId | undefined;
  readonly status?: ReferralStatus | undefined;
}

/** Returns a page of the project's referrals, newest first. */
export function listReferrals({ em }: ListReferralsDependencies) {
  return async (scope: ProjectScope, { refereeCustomerId, referrerCustomerId, status, ...page }: ReferralQuery) => {
    const where = {
      ...scope,
      ...(refereeCustomerId && { refereeCustomerId }),
      ...(referrerCustomerId && { referrerCustomerId }),
      ...(status && { status }),
    };
    const [referrals, total] = await em
      .fork()
      .findAndCount(Referral, where, { ...page, orderBy: { createdAt: 'desc', id: 'asc' } });
    return { referrals: referrals.map(toState), pagination: paginate(page, referrals.length, total) };
  };
}
