import { join, resolve } from 'node:path';
import { parseEnv } from '@billing/service/env';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const text = z.string().optional();
const environment = z.object({ DATABASE_URL: text, PUBLIC_URL: text, BILLING_DATA_DIR: text });

const ROOT = join(import.meta.dirname, '../../../..');

interface GatewayUrls {
  readonly databaseUrl: string;
  readonly publicUrl: string;
}

/**
 * Returns the gateway's `DATABASE_URL` and `PUBLIC_URL`, or, when neither is set, those of the local system that `npm start`
 * runs.
 * @throws StartError when only one of them is set, or no local system runs
 */
export async function findGateway(source: NodeJS.ProcessEnv): Promise<GatewayUrls> {
  const { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, BILLING_DATA_DIR: dataDir } = parseEnv(environment, source);
  if (databaseUrl && publicUrl) return { databaseUrl, publicUrl: publicUrl.replace(/\/+$/, '') };
  if (databaseUrl) throw new StartError('Set both DATABASE_URL and PUBLIC_URL, or neither beside npm start.');
  // Imported here because containers don't have this development tool.
  const { findServers, findGatewayUrl } = await import('@billing/local-system/running-system');
  const folder = resolve(ROOT, dataDir || '.data');
  return {
    databaseUrl: findServers(folder, 'gateway').databaseUrl,
    publicUrl: publicUrl || findGatewayUrl(folder),
  };
}
