import type { EntityManager } from '@mikro-orm/postgresql';
import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { setPortalConfig, type SetPortalConfigDependencies } from '#operations/set-portal-config.ts';
import { findPortalConfig } from '#persistence/portal-config.entity.ts';

/** What the portal of a project offers, and how it looks. */
export function portalConfigRoutes(dependencies: SetPortalConfigDependencies & { readonly em: EntityManager }) {
  const { em } = dependencies;
  const set = setPortalConfig(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, portalOperations.getPortalConfig, async ({ params }) => ({
      portalConfig: await findPortalConfig(em.fork(), params),
    }));
    serve(app, portalOperations.setPortalConfig, async ({ params, body, audit }) => ({
      portalConfig: await set(params, body, audit),
    }));
  };
}
