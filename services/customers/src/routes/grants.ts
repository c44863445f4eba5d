import type { EntityManager } from '@mikro-orm/postgresql';
import { grantOperations as operations } from '@billing/contracts/operations/features';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { findGrant, listGrants, removeGrant, setGrant } from '#operations/change-grants.ts';

interface Parts {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
}

/** The HTTP surface of what is given to single customers. */
export function grantRoutes({ em, outbox, rpc }: Parts): (app: HttpServer) => void {
  const [set, remove] = [setGrant({ outbox, rpc }), removeGrant({ outbox })];
  return app => {
    serve(app, operations.listGrants, async ({ params: { customerId, ...scope } }) => ({
      grants: await listGrants(em.fork(), scope, customerId),
    }));
    serve(app, operations.getGrant, async ({ params: { customerId, featureKey, ...scope } }) => ({
      grant: await findGrant(em.fork(), scope, customerId, featureKey),
    }));
    serve(app, operations.setGrant, async ({ params: { customerId, featureKey, ...scope }, body, audit }) => ({
      grant: await set(scope, customerId, featureKey, body, audit),
    }));
    serve(app, operations.removeGrant, async ({ params: { customerId, featureKey, ...scope }, audit }) => {
      await remove(scope, customerId, featureKey, audit);
      return { success: true };
    });
  };
}
