import { referralsOperations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { listCredits, type ListCreditsDependencies } from '#operations/list-credits.ts';
import { retryCredit, type RetryCreditDependencies } from '#operations/retry-credit.ts';

/** The credit ledger. */
export function creditRoutes(dependencies: ListCreditsDependencies & RetryCreditDependencies) {
  const list = listCredits(dependencies);
  const retry = retryCredit(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.listReferralCredits, ({ params, query }) => list(params, query));
    serve(app, referralsOperations.retryReferralCredit, async ({ params: { creditId, ...scope }, audit }) => ({
      credit: await retry(scope, creditId, audit),
    }));
  };
}
