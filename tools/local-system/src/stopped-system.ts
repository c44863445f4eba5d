import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@billing/contracts/operation';
import { StartError } from '@billing/database/start-error';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { ensureDatabase, postgresPart } from './backing-services.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { waitForPreviousParts } from './pids-file.ts';
import { loadSecrets } from './secrets.ts';
import { stablePorts } from './stable-ports.ts';

/** The embedded PostgreSQL of a data folder, without the rest of the system. Disposing it stops the server. */
export interface DatabaseAlone extends AsyncDisposable {
  readonly adminUrl: string;
  readonly passwordOf: (service: ServiceName) => string;
}

/** A data folder in which no system can start until it is disposed of. */
interface LockedDataDir extends Disposable {
  readonly dataDir: string;
}

/** The folders of the embedded servers' data. */
const SERVER_FOLDERS = ['postgres', 'nats'] as const;

/**
 * Locks a data folder without data of PostgreSQL and NATS, so that no system starts in it meanwhile.
 * @throws StartError when a system runs there, or there is such data
 */
export async function lockEmptyDataDir(dataDir: string): Promise<LockedDataDir> {
  const lock = lockDataDir(dataDir);
  try {
    await waitForPreviousParts(dataDir);
    const folder = SERVER_FOLDERS.map(name => join(dataDir, name)).find(existsSync);
    if (folder)
      throw new StartError(`${folder} holds data. Move both it and its neighbour away: ${SERVER_FOLDERS.join(', ')}.`);
    return { dataDir, [Symbol.dispose]: () => lock[Symbol.dispose]() };
  } catch (err) {
    lock[Symbol.dispose]();
    throw err;
  }
}

/** Starts a new embedded PostgreSQL with the system's database in a locked data folder, with the folder's secrets. */
export async function startDatabaseAlone(
  { dataDir }: LockedDataDir,
  report: (line: string) => void,
): Promise<DatabaseAlone> {
  await using resources = new AsyncDisposableStack();
  const { postgresPassword, rolePasswords } = loadSecrets(dataDir);
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const postgres = await postgresPart({
    dataDir,
    password: postgresPassword,
    guard,
    report,
    choosePort: stablePorts(dataDir),
  });
  const server = await postgres.launch(new AbortController().signal, 'ready');
  resources.defer(() => server.stop());
  const { adminUrl } = postgres;
  await ensureDatabase(adminUrl);
  const owned = resources.move();
  return {
    adminUrl,
    passwordOf: service => rolePasswords[service],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
