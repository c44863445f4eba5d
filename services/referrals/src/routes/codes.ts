import { referralsOperations } from '@billing/contracts/operations/referrals';
import { findNewest } from '@billing/database/find-newest';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createCode, type CreateCodeDependencies } from '#operations/create-code.ts';
import { deactivateCode, type DeactivateCodeDependencies } from '#operations/deactivate-code.ts';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { findCode } from '#persistence/referral-codes.ts';
import { Referral, toState } from '#persistence/referral.entity.ts';

/** Referral codes and the referrals made with them. */
export function codeRoutes(dependencies: CreateCodeDependencies & DeactivateCodeDependencies) {
  const { em } = dependencies;
  const create = createCode(dependencies);
  const deactivate = deactivateCode(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(
      app,
      referralsOperations.listReferralCodes,
      async ({ params, query: { activeOnly, customerId, ...page } }) => {
        const where = { ...params, customerId, isActive: activeOnly || undefined };
        const [codes, pagination] = await findNewest(em.fork(), ReferralCode, where, page, { ids: ['code'] });
        return { codes, pagination };
      },
    );
    serve(app, referralsOperations.createReferralCode, async ({ params, body, audit, operationKey }) => ({
      code: await create(params, body.customerId, audit, operationKey),
    }));
    serve(app, referralsOperations.getReferralCode, async ({ params, query }) => {
      const { code, ...scope } = params;
      const fork = em.fork();
      const found = await findCode(fork, scope, code);
      const [referrals, pagination] = await findNewest(fork, Referral, params, query);
      return { code: found, referrals: referrals.map(toState), pagination };
    });
    serve(app, referralsOperations.deactivateReferralCode, async ({ params: { code, ...scope }, audit }) => ({
      code: await deactivate(scope, code, audit),
    }));
  };
}
