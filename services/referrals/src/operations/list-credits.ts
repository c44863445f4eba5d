import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { paginate, type Page } from '@billing/contracts/pagination';
import type { CREDIT_STATUSES } from '@billing/contracts/resources/referral';
import { ReferralCredit, toResource } from '#persistence/referral-credit.entity.ts';

export interface ListCreditsDependencies {
  readonly em: EntityManager;
}

interface CreditQuery extends Page {
  readonly status?: (typeof CREDIT_STATUSES)[number] | undefined;
  readonly customerId?: CustomerId | undefined;
}

/** Returns a page of the project's credits, newest first. */
export function listCredits({ em }: ListCreditsDependencies) {
  return async (scope: ProjectScope, { status, customerId, ...page }: CreditQuery) => {
    const where = { ...scope, ...(status && { status }), ...(customerId && { customerId }) };
    const [credits, total] = await em
      .fork()
      .findAndCount(ReferralCredit, where, { ...page, orderBy: { createdAt: 'desc', referralId: 'asc', side: 'asc' } });
    return { credits: credits.map(toResource), pagination: paginate(page, credits.length, total) };
  };
}
