import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

/** Pinned, so that all runs measure the same versions. */
const PACKAGES = { '@supabase/stripe-sync-engine': '0.48.5', stripe: '23.1.0' };
const HOME = join(import.meta.dirname, '../../.data/bench');
const DATABASE = 'sync_engine';

/** `@supabase/stripe-sync-engine` behind a plain route. */
export interface SyncEngine extends AsyncDisposable {
  readonly url: string;
  readonly secret: string;
  /** Connects to its database; its tables are in the schema `stripe`. */
  readonly database: Client;
}

interface SyncEngineOptions {
  /** The server on which it creates its database. */
  readonly adminUrl: string;
  /** Replaces Stripe's API, which it calls for some types of events. */
  readonly stripeUrl?: string;
}

/** Starts the engine in its own process. The first start installs it. */
export async function startSyncEngine({ adminUrl, stripeUrl }: SyncEngineOptions): Promise<SyncEngine> {
  const folder = await install();
  await using resources = new AsyncDisposableStack();
  const admin = resources.adopt(new Client({ connectionString: adminUrl }), it => it.end());
  await admin.connect();
  await admin.query(`create database ${DATABASE}`);

  const databaseUrl = new URL(adminUrl);
  databaseUrl.pathname = `/${DATABASE}`;
  const database = resources.adopt(new Client({ connectionString: databaseUrl.href }), it => it.end());
  await database.connect();

  const secret = `whsec_${randomBytes(16).toString('hex')}`;
  const server = fork(
    join(import.meta.dirname, 'server.ts'),
    [folder, databaseUrl.href, secret, ...(stripeUrl === undefined ? [] : [stripeUrl])],
    { env: { ...process.env, NODE_ENV: 'production' } },
  );
  resources.defer(async () => {
    if (server.exitCode === null && server.kill()) await once(server, 'exit');
  });
  const ended = once(server, 'exit').then(() => Promise.reject(new Error('The sync engine did not start.')));
  const [{ url }] = (await Promise.race([once(server, 'message'), ended])) as [{ url: string }]; // what the server sends
  ended.catch(() => undefined);

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
