import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { FindPortalConfig, SetPortalConfig } from '@billing/contracts/rpc/catalog';
import { auditEntryId } from '@billing/service/audit';
import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import { setPortalConfig, type SetPortalConfigDependencies } from '#operations/set-portal-config.ts';
import { findPortalConfig } from '#persistence/portal-config.entity.ts';

/** What an apply of a catalog reads and sets of the portal. */
export function portalConfigRpc({
  em,
  ...dependencies
}: SetPortalConfigDependencies & { readonly em: EntityManager }): RpcHandler[] {
  const set = setPortalConfig(dependencies);
  return [
    rpcHandler(FindPortalConfig, scope => findPortalConfig(em.fork(), scope)),
    rpcHandler(SetPortalConfig, async ({ operationKey, audit, portalConfig, ...scope }) => {
      const current = await findPortalConfig(em.fork(), scope);
      if (!isDeepStrictEqual(current, portalConfig))
        await set(scope, portalConfig, { ...audit, id: auditEntryId(operationKey) });
      return {};
    }),
  ];
}
