import { referralsOperations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { listCredits, type ListCreditsDependencies } from '#operations/list-credits.ts';

/** The credit ledger. */
export function creditRoutes(dependencies: ListCreditsDependencies) {
  const list = listCredits(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.listReferralCredits, ({ params, query }) => list(params, query));
  };
}
