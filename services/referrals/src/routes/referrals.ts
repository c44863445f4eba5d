import { referralsOperations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { applyCode, type ApplyCodeDependencies } from '#operations/apply-code.ts';
import { listReferrals } from '#operations/list-referrals.ts';

/** Who referred whom, and applying a code to a new customer. */
export function referralRoutes(dependencies: ApplyCodeDependencies) {
  const list = listReferrals(dependencies);
  const apply = applyCode(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.listReferrals, ({ params, query }) => list(params, query));
    serve(app, referralsOperations.applyReferral, async ({ params, body, audit, operationKey }) => ({
      referral: await apply(params, body, audit, operationKey),
    }));
  };
}
