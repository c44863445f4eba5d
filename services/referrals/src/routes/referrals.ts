import { referralsOperations } from '@billing/contracts/operations/referrals';
import { findNewest } from '@billing/database/find-newest';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { applyCode, type ApplyCodeDependencies } from '#operations/apply-code.ts';
import { Referral, toState } from '#persistence/referral.entity.ts';

/** Who referred whom, and applying a code to a new customer. */
export function referralRoutes(dependencies: ApplyCodeDependencies) {
  const { em } = dependencies;
  const apply = applyCode(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.listReferrals, async ({ params, query: { limit, offset, cursor, ...filters } }) => {
      const page = { limit, offset, cursor };
      const [referrals, pagination] = await findNewest(em.fork(), Referral, { ...params, ...filters }, page);
      return { referrals: referrals.map(toState), pagination };
    });
    serve(app, referralsOperations.applyReferral, async ({ params, body, audit, operationKey }) => ({
      referral: await apply(params, body, audit, operationKey),
    }));
  };
}
