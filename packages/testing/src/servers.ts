import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '@billing/embedded-servers/nats';
import { startPostgres } from '@billing/embedded-servers/postgres';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectToNats } from './nats.ts';

/** The PostgreSQL and NATS servers that tests share. */
export interface TestServers {
  /** URL of the superuser for the cluster's database `postgres`. */
  databaseUrl: string;
  /** With credentials. */
  natsUrl: string;
  stop(): Promise<void>;
}

/** Where Linux has files in memory, and the bytes that must be free there. */
const MEMORY = '/dev/shm';
const ENOUGH = 4 * 1_024 ** 3;

/** In memory where it has room: each test has a database, hundreds of files that a disk's file system is slow to create and delete. */
async function findFolder(): Promise<string> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= ENOUGH ? MEMORY : tmpdir();
}

/**
 * Starts PostgreSQL and NATS in a temporary folder, without syncing to disk. `stop` ends them and removes the folder;
 * they also end when this process is killed.
 */
export async function startTestServers(report: (line: string) => void = () => {}): Promise<TestServers> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(await findFolder(), 'billing-test-'));
  // PostgreSQL may run as another user, who needs access to the folder.
  await chmod(folder, 0o755);
  resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const password = randomBytes(16).toString('hex');

  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    password,
    guard,
    durable: false,
    // Passwords of tests protect nothing, and thousands of connections check them.
    settings: { scram_iterations: 1 },
  });
  resources.defer(() => postgres.stop());
  const nats = await startNats({
    storeDir: join(folder, 'nats'),
    logFile: join(folder, 'nats.log'),
    password,
    guard,
    durable: false,
    report,
  });
  resources.defer(() => nats.stop());
  await addLastingStream(nats.url);

  const owned = resources.move();
  return { databaseUrl: postgres.url, natsUrl: nats.url, stop: () => owned.disposeAsync() };
}

/**
 * Adds a stream that no test deletes. nats-server removes the folder of streams together with the last stream, and could not
 * create another stream at that moment.
 */
async function addLastingStream(natsUrl: string): Promise<void> {
  await using nats = await connectToNats(natsUrl);
  const jsm = await jetstreamManager(nats);
  await jsm.streams.add({ name: 'LASTING', subjects: ['lasting'] });
}
