import { gunzipSync } from 'node:zlib';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindProject } from '@billing/contracts/rpc/calls';
import { catalogRecords, FindPortalConfig, ReadCatalog, type CatalogRecords } from '@billing/contracts/rpc/catalog';
import type { RpcClient } from '@billing/messaging/rpc';
import { recorded, type RecordedCatalog } from './items.rules.ts';

/**
 * Reads what a project sells, where it is recorded: in the catalog, the portal and the gateway.
 * @throws Problem 404 for an unknown project; `unavailable` while one of them does not respond
 */
export function readCatalog(rpc: RpcClient) {
  return async ({ teamId, projectId }: ProjectScope): Promise<RecordedCatalog> => {
    const scope = { teamId, projectId };
    const [records, portal, project] = await Promise.all([
      readRecords(rpc, scope),
      rpc.call(FindPortalConfig, scope),
      rpc.call(FindProject, scope),
    ]);
    if (!project) throw notFound('project');
    return recorded(records, portal, { entitlementGraceDays: project.entitlementGraceDays });
  };
}

/** Reads the records of the catalog service. */
export async function readRecords(rpc: RpcClient, scope: ProjectScope): Promise<CatalogRecords> {
  const { text } = await rpc.call(ReadCatalog, scope);
  return catalogRecords.parse(JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString('utf8')));
}
