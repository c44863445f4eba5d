import { referralsOperations } from '@billing/contracts/operations/referrals';
import { findNewest } from '@billing/database/find-newest';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { retryCredit, type RetryCreditDependencies } from '#operations/retry-credit.ts';
import { ReferralCredit, toResource } from '#persistence/referral-credit.entity.ts';

/** The credit ledger. */
export function creditRoutes(dependencies: RetryCreditDependencies) {
  const { em } = dependencies.outbox;
  const retry = retryCredit(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.listReferralCredits, async ({ params, query: { status, customerId, ...page } }) => {
      const where = { ...params, status, customerId };
      const [credits, pagination] = await findNewest(em.fork(), ReferralCredit, where, page, {
        ids: ['referralId', 'side'],
      });
      return { credits: credits.map(toResource), pagination };
    });
    serve(app, referralsOperations.retryReferralCredit, async ({ params: { creditId, ...scope }, audit }) => ({
      credit: await retry(scope, creditId, audit),
    }));
  };
}
