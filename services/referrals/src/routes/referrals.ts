import { referralsOperations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { applyCode, type ApplyCodeDependencies } from '#operations/apply-code.ts';

/** Applying a code to a new customer. */
export function referralRoutes(dependencies: ApplyCodeDependencies) {
  const apply = applyCode(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.applyReferral, async ({ params, body, audit, operationKey }) => ({
      referral: await apply(params, body, audit, operationKey),
    }));
  };
}
