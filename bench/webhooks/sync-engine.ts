import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Shop } from './shop.ts';
import { requireNewestQuantities } from './subscription-events.ts';

/** Pinned, so that all runs measure the same versions. */
const PACKAGES = { '@supabase/stripe-sync-engine': '0.48.5', stripe: '23.1.0' };
const DATABASE = 'sync_engine';

export interface SyncEngine extends AsyncDisposable {
  readonly url: string;
  readonly secret: string;
  /** @throws Error unless each subscription is as its last of the first `sent` events has it */
  verify(shop: Shop, sent: number): Promise<void>;
}

/** Installs the package below `home` unless it is there, and returns its folder. */
export async function installSyncEngine(home: string): Promise<string> {
  const folder = join(home, `stripe-sync-engine-${PACKAGES['@supabase/stripe-sync-engine']}`);
  if (existsSync(join(folder, 'node_modules/@supabase/stripe-sync-engine'))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  return folder;
}

/** Starts the engine in its own process, with its own database on the server of `adminUrl`. */
export async function startSyncEngine(folder: string, adminUrl: string): Promise<SyncEngine> {
  await using resources = new AsyncDisposableStack();
  const admin = resources.adopt(new Client({ connectionString: adminUrl }), it => it.end());
  await admin.connect();
  await admin.query(`create database ${DATABASE}`);

  const databaseUrl = new URL(adminUrl);
  databaseUrl.pathname = `/${DATABASE}`;
  const database = resources.adopt(new Client({ connectionString: databaseUrl.href }), it => it.end());
  await database.connect();

  const secret = `whsec_${randomBytes(16).toString('hex')}`;
  const server = fork(join(import.meta.dirname, 'sync-engine-server.ts'), [folder, databaseUrl.href, secret]);
  resources.defer(async () => {
    if (server.exitCode === null && server.kill()) await once(server, 'exit');
  });
  const ended = once(server, 'exit').then(() => Promise.reject(new Error('The sync engine did not start.')));
  const [{ url }] = (await Promise.race([once(server, 'message'), ended])) as [{ url: string }]; // what the server sends
  ended.catch(() => undefined);

  const running = resources.move();
  return {
    url,
    secret,
    async verify(shop, sent) {
      const { rows } = await database.query<{ subscription: string; quantity: number }>(
        'select subscription, quantity from stripe.subscription_items',
      );
      const quantities = new Map(rows.map(row => [row.subscription, row.quantity]));
      requireNewestQuantities(shop, sent, id => quantities.get(id));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
