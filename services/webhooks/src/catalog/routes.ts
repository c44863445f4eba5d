import { createHash } from 'node:crypto';
import { catalogDocumentOperations as operations } from '@billing/contracts/operations/catalog-documents';
import { Problem } from '@billing/contracts/problem';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Outbox } from '@billing/messaging/outbox';
import type { HttpServer } from '@billing/service/http';
import type { Principal } from '@billing/service/identity-token';
import { serve, type Call } from '@billing/service/serve';
import type { TeamReads } from '@billing/service/team-reads';
import { exportCatalog } from './export.rules.ts';
import { withProposedKeys } from './proposed-keys.rules.ts';
import { readCatalog } from './read-catalog.ts';
import { startRun } from './start-run.ts';

interface Dependencies {
  readonly reads: TeamReads;
  readonly rpc: RpcClient;
  readonly outbox: Outbox;
  readonly now: () => Date;
  readonly quotaBytes: number;
  /** Called when a run was queued. */
  readonly onQueued: () => void;
}

/** The catalog of a project as a document. */
export const catalogRoutes =
  ({ reads, rpc, onQueued, ...parts }: Dependencies) =>
  (app: HttpServer): void => {
    const [read, start] = [readCatalog(rpc), startRun({ ...parts, rpc })];
    const exported = async ({ params, query }: Call<typeof operations.exportCatalog>) => {
      const recorded = await read(params);
      return exportCatalog(recorded, query.adopt ? withProposedKeys(recorded) : recorded);
    };
    serve(app, operations.exportCatalog, exported, {
      caching: {
        tagOf: response => `"${createHash('sha256').update(JSON.stringify(response)).digest('base64url')}"`,
        cacheControl: 'private, no-cache',
      },
    });
    serve(app, operations.applyCatalog, async ({ params, body, principal, audit, operationKey }) => {
      if (body.catalog.portal) requirePortalScope(principal);
      const sync = await reads(params.teamId, () => start(params, body, audit, operationKey));
      onQueued();
      return { sync };
    });
  };

/** The configuration of the portal belongs to subscriptions. */
function requirePortalScope(principal: Principal): void {
  if (principal.kind === 'api-key' && !principal.scopes.includes('subscriptions:write'))
    throw new Problem('forbidden', 'forbidden', 'A document with a portal needs the scope subscriptions:write, too.');
}
