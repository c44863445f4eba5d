import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVICES } from '@billing/contracts/operation';
import { z } from 'zod';
import { forgetPostgresVariables } from './inherited-environment.ts';
import { findCommandVariables } from './running-system.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The variables that name servers; with one of them set, the environment is meant as it is. */
const NAMES = ['DATABASE_URL', 'NATS_URL', 'CREDENTIALS_KEYS'];

/**
 * Runs a service's command for operators, `services/<service>/src/…`. Unless the environment names servers, it gets those of
 * the system that `npm start` runs.
 */
async function main([command = '', ...args]: readonly string[]): Promise<void> {
  const service = z.enum(SERVICES).parse(command.split('/')[1]);
  if (!NAMES.some(name => process.env[name])) {
    forgetPostgresVariables(process.env);
    const folder = resolve(ROOT, process.env['BILLING_DATA_DIR'] || '.data');
    const publicUrl = process.env['PUBLIC_URL'];
    Object.assign(process.env, findCommandVariables(folder, service), publicUrl && { PUBLIC_URL: publicUrl });
  }
  const file = join(ROOT, command);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}

try {
  await main(process.argv.slice(2));
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
