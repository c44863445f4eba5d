import type { EntityManager } from '@mikro-orm/postgresql';
import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { signDraft } from '#domain/draft.ts';
import { bodyResolver } from '#operations/find-prices-by-key.ts';
import { setPortalConfig, type SetPortalConfigDependencies } from '#operations/set-portal-config.ts';
import { findPortalConfig } from '#persistence/portal-config.entity.ts';

interface PortalConfigDependencies extends SetPortalConfigDependencies {
  readonly em: EntityManager;
  /** 32 bytes. Signs drafts. */
  readonly draftKey: Buffer;
}

/** How long a preview can be opened. */
const PREVIEW_MS = 600_000;

/** What the portal of a project offers, and how it looks. */
export function portalConfigRoutes(dependencies: PortalConfigDependencies) {
  const { em, draftKey, now } = dependencies;
  const set = setPortalConfig(dependencies);
  const resolved = bodyResolver(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, portalOperations.getPortalConfig, async ({ params }) => ({
      portalConfig: await findPortalConfig(em.fork(), params),
    }));
    serve(app, portalOperations.setPortalConfig, async ({ params, body, audit }) => ({
      portalConfig: await set(params, await resolved(params, body), audit),
    }));
    serve(app, portalOperations.previewPortalConfig, async ({ params, body: { portalConfig, language } }) => {
      const config = await resolved(params, portalConfig);
      const expiresAt = new Date(now().getTime() + PREVIEW_MS);
      const draft = signDraft(draftKey, { ...params, config, language: language ?? null, expiresAt });
      // Base64url and a dot need no encoding.
      return { url: `/portal/preview?draft=${draft}`, expiresAt };
    });
  };
}
