import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Visitor } from './admit-visitor.ts';

/** How a project looks on its pages. */
export type Brand = Readonly<Pick<PortalConfig['brand'], 'name' | 'logoUrl' | 'accentColor' | 'supportUrl'>>;

/** Returns the visitor's project as it looks: by the name that it has set, else by its own, or none if the gateway does not reply. */
export function findBrand({ rpc }: { readonly rpc: RpcClient }) {
  return async ({ scope, config }: Pick<Visitor, 'scope' | 'config'>): Promise<Brand> => {
    if (config.brand.name !== null) return config.brand;
    const name = await rpc.call(FindProject, scope).then(
      project => project?.name ?? null,
      () => null,
    );
    return { ...config.brand, name };
  };
}
