import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '@billing/service/start-error';

/**
 * Takes the data folder for this process alone. The operating system gives the lock back when the process ends,
 * however it ends, which a file with a process id would not.
 * @throws StartError when another system has it, or the folder can't be written.
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
