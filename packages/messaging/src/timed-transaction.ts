import type { EntityManager } from '@mikro-orm/postgresql';
import { TookTooLong, withTimeout } from './with-timeout.ts';

/** In milliseconds. */
interface TimeLimits {
  /** One statement. */
  readonly statement: number;
  /** The wait for one lock. */
  readonly lock: number;
  /** The whole transaction. */
  readonly all: number;
}

/** How long to wait for a connection to be closed, in milliseconds. */
const CLOSING_MS = 2_000;

/**
 * Runs a transaction that is over when its time is, whatever `work` is doing then. Its connection is closed: after a
 * mere rollback, what `work` asks next would be queued behind it and take effect on its own.
 * @throws TookTooLong
 */
export async function timedTransaction<Result>(
  em: EntityManager,
  { statement, lock, all }: TimeLimits,
  what: string,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  let late: TookTooLong | undefined;
  try {
    return await em.fork().transactional(async tx => {
      const [session] = await tx.execute<{ pid: number }[]>(
        `select pg_backend_pid() as pid, set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true)`,
        [String(statement), String(lock)],
      );
      try {
        return await withTimeout(work(tx), all, what);
      } catch (err) {
        if (err instanceof TookTooLong) {
          late = err;
          await em.fork().execute('select pg_terminate_backend(?, ?)', [session?.pid, CLOSING_MS]);
        }
        throw err;
      }
    });
  } catch (err) {
    // Of a closed connection the rollback only says that it is closed.
    throw late ?? err;
  }
}
