import { join, resolve } from 'node:path';
import { parseEnv } from '@billing/service/env';
import { StartError } from '@billing/service/start-error';
import { z } from 'zod';

const text = z.string().optional();
const environment = z.object({ DATABASE_URL: text, NATS_URL: text, BILLING_DATA_DIR: text });

const ROOT = join(import.meta.dirname, '../../../..');

/**
 * Where analytics' database and the broker are: what `DATABASE_URL` and `NATS_URL` say, or, with neither of them, the
 * servers of the system that `npm start` runs.
 * @throws StartError that says what is missing
 */
export async function findSurroundings(source: NodeJS.ProcessEnv): Promise<{ databaseUrl: string; natsUrl: string }> {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, BILLING_DATA_DIR: dataDir } = parseEnv(environment, source);
  if (databaseUrl && natsUrl) return { databaseUrl, natsUrl };
  if (databaseUrl || natsUrl) throw new StartError('Set both DATABASE_URL and NATS_URL, or neither beside npm start.');
  // A tool of developers, which a container does without.
  const { findServers } = await import('@billing/local-system/running-system');
  return findServers(resolve(ROOT, dataDir || '.data'), 'analytics');
}
