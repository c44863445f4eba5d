import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '@billing/database/start-error';

/**
 * Locks the data folder for this process. The operating system releases the lock when the process exits, even after a
 * crash; a file with a process id would remain.
 * @throws StartError when another system has the lock, or the folder is not writable
 */
export function lockDataDir(dataDir: string): Disposable {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (cause) {
    throw new StartError(`The data folder ${dataDir} can't be created. Choose another with BILLING_DATA_DIR.`, {
      cause,
    });
  }
  try {
    const lock = new DatabaseSync(join(dataDir, 'lock'), { timeout: 0 });
    lock.exec('begin exclusive');
    return { [Symbol.dispose]: () => lock.close() };
  } catch (cause) {
    const locked = cause instanceof Error && cause.message.includes('locked');
    throw new StartError(
      locked
        ? `The data folder ${dataDir} is in use by a running system. Stop that one, or choose another folder with BILLING_DATA_DIR.`
        : `The data folder ${dataDir} can't be written. Choose another with BILLING_DATA_DIR.`,
      { cause },
    );
  }
}
