import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@billing/embedded-servers/postgres';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';

/** A PostgreSQL server that both sides use, with a database each. */
export interface SharedPostgres extends AsyncDisposable {
  /** Connects the superuser. */
  readonly adminUrl: string;
  /** A temporary folder, also for the system that uses the server. It is deleted at the end. */
  readonly dataDir: string;
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const { url: adminUrl } = resources.adopt(
    await startPostgres({
      dataDir: join(dataDir, 'postgres'),
      logFile: join(dataDir, 'postgres.log'),
      password: randomBytes(12).toString('hex'),
      guard,
    }),
    it => it.stop(),
  );
  const running = resources.move();
  return { adminUrl, dataDir, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
