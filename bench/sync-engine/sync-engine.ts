import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { connectTo, createDatabase } from '../database.ts';
import { startOtherSide } from '../load/other-side.ts';

/** Pinned, so that all runs measure the same versions. */
const PACKAGES = { '@supabase/stripe-sync-engine': '0.48.5', stripe: '23.1.0' };
const HOME = join(import.meta.dirname, '../../.data/bench');

/** `@supabase/stripe-sync-engine` behind a plain route. */
export interface SyncEngine extends AsyncDisposable {
  readonly url: string;
  readonly secret: string;
  /** Connects to its database; its tables are in the schema `stripe`. */
  readonly database: Client;
}

/** Starts the engine in its own process, with a database on the given server. The first start installs it. */
export async function startSyncEngine(adminUrl: string): Promise<SyncEngine> {
  const folder = await install();
  await using resources = new AsyncDisposableStack();
  const databaseUrl = await createDatabase(adminUrl, 'sync_engine');
  const database = resources.use(await connectTo(databaseUrl));
  const secret = `whsec_${randomBytes(16).toString('hex')}`;
  const args = [folder, databaseUrl, secret];
  const { url } = resources.use(await startOtherSide(join(import.meta.dirname, 'server.ts'), args, process.execArgv));
  const running = resources.move();
  return { url, secret, database, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Installs the package unless it is there, and returns its folder. */
async function install(): Promise<string> {
  const folder = join(HOME, `stripe-sync-engine-${PACKAGES['@supabase/stripe-sync-engine']}`);
  if (existsSync(join(folder, 'node_modules/@supabase/stripe-sync-engine'))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  return folder;
}
