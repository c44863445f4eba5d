import { join, resolve } from 'node:path';
import { parseEnv } from '@billing/service/env';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const text = z.string().optional();
const environment = z.object({ DATABASE_URL: text, CREDENTIALS_KEYS: text, BILLING_DATA_DIR: text });

const ROOT = join(import.meta.dirname, '../../../..');

/** Where the secrets are, and the text of `CREDENTIALS_KEYS`. */
export interface RotationSettings {
  readonly databaseUrl: string;
  readonly keys: string;
}

/**
 * Returns `DATABASE_URL` and `CREDENTIALS_KEYS`, or, when neither is set, those of the local system that `npm start` runs.
 * @throws StartError when only one of them is set, or no local system runs
 */
export async function findRotationSettings(source: NodeJS.ProcessEnv): Promise<RotationSettings> {
  const {
    DATABASE_URL: databaseUrl,
    CREDENTIALS_KEYS: keys,
    BILLING_DATA_DIR: dataDir,
  } = parseEnv(environment, source);
  if (databaseUrl && keys) return { databaseUrl, keys };
  if (databaseUrl || keys)
    throw new StartError('Set both DATABASE_URL and CREDENTIALS_KEYS, or neither beside npm start.');
  // Imported here because containers don't have this development tool.
  const { findMasterKeys, findServers } = await import('@billing/local-system/running-system');
  const folder = resolve(ROOT, dataDir || '.data');
  return { databaseUrl: findServers(folder, 'webhooks').databaseUrl, keys: `file:${findMasterKeys(folder)}` };
}
