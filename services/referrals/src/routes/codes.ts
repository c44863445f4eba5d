import { referralsOperations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createCode, type CreateCodeDependencies } from '#operations/create-code.ts';
import { deactivateCode, type DeactivateCodeDependencies } from '#operations/deactivate-code.ts';
import { getCode } from '#operations/get-code.ts';
import { listCodes } from '#operations/list-codes.ts';

/** Referral codes and the referrals made with them. */
export function codeRoutes(dependencies: CreateCodeDependencies & DeactivateCodeDependencies) {
  const list = listCodes(dependencies);
  const create = createCode(dependencies);
  const get = getCode(dependencies);
  const deactivate = deactivateCode(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.listReferralCodes, ({ params, query }) => list(params, query));
    serve(app, referralsOperations.createReferralCode, async ({ params, body, audit, operationKey }) => ({
      code: await create(params, body.customerId, audit, operationKey),
    }));
    serve(app, referralsOperations.getReferralCode, ({ params: { code, ...scope }, query }) => get(scope, code, query));
    serve(app, referralsOperations.deactivateReferralCode, async ({ params: { code, ...scope }, audit }) => ({
      code: await deactivate(scope, code, audit),
    }));
  };
}
