import { referralsOperations as operations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createCode as drawCode } from '#domain/code.ts';
import { applyCode } from '#operations/apply-code.ts';
import { configureProgram } from '#operations/configure-program.ts';
import { createCode } from '#operations/create-code.ts';
import { deactivateCode } from '#operations/deactivate-code.ts';
import { describeCode } from '#operations/find-code.ts';
import { findProgram } from '#operations/find-program.ts';
import { knowCustomer } from '#operations/know-customer.ts';
import { listCodes } from '#operations/list-codes.ts';
import { listCredits } from '#operations/list-credits.ts';
import type { Dependencies } from '../app.ts';

/** What may be asked of referrals. */
export function serveReferrals(app: HttpServer, dependencies: Dependencies): void {
  const { database, rpc, clock, newCode = drawCode } = dependencies;
  const { em } = database;
  const know = knowCustomer(em, rpc);
  const configure = configureProgram(em, clock);
  const list = listCodes(em);
  const create = createCode({ em, know, clock, newCode });
  const describe = describeCode(em);
  const deactivate = deactivateCode(em, clock);
  const apply = applyCode({ em, know, rpc, clock });
  const credits = listCredits(em);

  serve(app, operations.getReferralConfig, async ({ params }) => ({ config: await findProgram(em.fork(), params) }));
  serve(app, operations.updateReferralConfig, async ({ params, body }) => ({ config: await configure(params, body) }));
  serve(app, operations.listReferralCodes, ({ params, query }) => list(params, query));
  serve(app, operations.createReferralCode, async ({ params, body, operationKey }) => ({
    code: await create(params, body.customerId, operationKey),
  }));
  serve(app, operations.getReferralCode, ({ params: { code, ...scope }, query }) => describe(scope, code, query));
  serve(app, operations.deactivateReferralCode, async ({ params: { code, ...scope } }) => ({
    code: await deactivate(scope, code),
  }));
  serve(app, operations.applyReferral, async ({ params, body, operationKey }) => ({
    referral: await apply(params, body, operationKey),
  }));
  serve(app, operations.listReferralCredits, ({ params, query }) => credits(params, query));
}
