import { join, resolve } from 'node:path';
import { parseEnv } from '@billing/service/env';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const text = z.string().optional();
const environment = z.object({ DATABASE_URL: text, NATS_URL: text, BILLING_DATA_DIR: text });

const ROOT = join(import.meta.dirname, '../../../..');

/**
 * Returns the URLs of analytics' database and of NATS: `DATABASE_URL` and `NATS_URL`, or, when neither is set, those of
 * the local system that `npm start` runs.
 * @throws StartError when only one of them is set, or no local system runs
 */
export async function findServerUrls(source: NodeJS.ProcessEnv): Promise<{ databaseUrl: string; natsUrl: string }> {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, BILLING_DATA_DIR: dataDir } = parseEnv(environment, source);
  if (databaseUrl && natsUrl) return { databaseUrl, natsUrl };
  if (databaseUrl || natsUrl) throw new StartError('Set both DATABASE_URL and NATS_URL, or neither beside npm start.');
  // Imported here because containers don't have this development tool.
  const { findServers } = await import('@billing/local-system/running-system');
  return findServers(resolve(ROOT, dataDir || '.data'), 'analytics');
}
