import type { EntityManager } from '@mikro-orm/postgresql';
import { referralsOperations } from '@billing/contracts/operations/referrals';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { configureProgram, type ConfigureProgramDependencies } from '#operations/configure-program.ts';
import { findProgram } from '#persistence/programs.ts';

/** The project's referral program. */
export function programRoutes(dependencies: ConfigureProgramDependencies & { readonly em: EntityManager }) {
  const { em } = dependencies;
  const configure = configureProgram(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, referralsOperations.getReferralConfig, async ({ params }) => ({
      config: await findProgram(em.fork(), params),
    }));
    serve(app, referralsOperations.updateReferralConfig, async ({ params, body, audit }) => ({
      config: await configure(params, body, audit),
    }));
  };
}
