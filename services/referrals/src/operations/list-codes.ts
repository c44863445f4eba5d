import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import { ReferralCode } from '#persistence/referral-code.entity.ts';

export interface ListCodesDependencies {
  readonly em: EntityManager;
}

interface CodeQuery extends Page {
  readonly activeOnly: boolean;
  /** The referrer. */
  readonly customerId?: CustomerId | undefined;
}

/** Returns a page of the project's codes, newest first. */
export function listCodes({ em }: ListCodesDependencies) {
  return async (scope: ProjectScope, { activeOnly, customerId, ...page }: CodeQuery) => {
    const where = { ...scope, ...(activeOnly && { isActive: true }), ...(customerId && { customerId }) };
    const [codes, total] = await em
      .fork()
      .findAndCount(ReferralCode, where, { ...page, orderBy: { createdAt: 'desc', code: 'asc' } });
    return { codes, pagination: paginate(page, codes.length, total) };
  };
}
