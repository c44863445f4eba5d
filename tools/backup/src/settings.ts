import { join, resolve } from 'node:path';
import { parseEnv } from '@billing/service/env';
import { StartError } from '@billing/database/start-error';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { passwordVariable } from '@billing/local-system/secrets';
import { z } from 'zod';

const text = z.string().optional();
const environment = z.object({ ADMIN_DATABASE_URL: text, ADMIN_NATS_URL: text, BILLING_DATA_DIR: text });

const ROOT = join(import.meta.dirname, '../../..');

/** A system that `npm start` runs, by its data folder, or one that runs elsewhere, by its servers. */
export type System =
  | { readonly kind: 'data-folder'; readonly dataDir: string }
  | { readonly kind: 'elsewhere'; readonly adminUrl: string; readonly adminNatsUrl: string | undefined };

/** Returns the system of `ADMIN_DATABASE_URL`, or, when it is not set, that of `BILLING_DATA_DIR` (`.data`). */
export function findSystem(source: NodeJS.ProcessEnv): System {
  const {
    ADMIN_DATABASE_URL: adminUrl,
    ADMIN_NATS_URL: adminNatsUrl,
    BILLING_DATA_DIR,
  } = parseEnv(environment, source);
  if (adminUrl) return { kind: 'elsewhere', adminUrl, adminNatsUrl: adminNatsUrl || undefined };
  if (adminNatsUrl) throw new StartError('Set ADMIN_DATABASE_URL too, or neither beside npm start.');
  return { kind: 'data-folder', dataDir: resolve(ROOT, BILLING_DATA_DIR || '.data') };
}

/** Returns the password of each service's role, from the variables that provisioning reads as well. */
export function readRolePasswords(source: NodeJS.ProcessEnv): (service: ServiceName) => string {
  const variables = Object.fromEntries(SERVICES.map(service => [passwordVariable(service), z.string().min(1)]));
  const passwords = parseEnv(z.object(variables), source);
  return service => passwords[passwordVariable(service)] ?? '';
}

/** Runs a command, and prints in one line why it failed. */
export async function runCommand(name: string, command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (err) {
    process.stderr.write(`${name}: ${err instanceof Error ? err.message : String(err)}\n`);
    process.exitCode = 1;
  }
}
