import type { EntityManager } from '@mikro-orm/postgresql';
import { inTransaction } from '@billing/database/transaction';

/** In milliseconds. */
export interface TimeLimits {
  /** One statement. */
  readonly statement: number;
  /** The wait for one lock. */
  readonly lock: number;
  /** The whole transaction. */
  readonly total: number;
  /** For the message of the error. */
  readonly what: string;
}

/** Work that did not end in its time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** How long to wait for a connection to be closed, in milliseconds. */
const CLOSING_MS = 2_000;

/**
 * Runs `work` in a transaction, as `inTransaction` does. With `limits` it runs once, and the transaction ends when its time is over, whatever `work` is doing then,
 * and its connection is closed: after a mere rollback, the statements that `work` sends next would be queued behind it and
 * take effect on their own.
 * @throws TimeoutError
 */
export async function timedTransaction<Result>(
  em: EntityManager,
  limits: TimeLimits | undefined,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  if (!limits) return inTransaction(em, work);
  const { statement, lock, total, what } = limits;
  let late: TimeoutError | undefined;
  try {
    return await em.fork().transactional(async tx => {
      const [session] = await tx.execute<{ pid: number }[]>(
        `select pg_backend_pid() as pid, set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true)`,
        [String(statement), String(lock)],
      );
      try {
        return await withTimeout(work(tx), total, what);
      } catch (err) {
        if (err instanceof TimeoutError) {
          late = err;
          await em.fork().execute('select pg_terminate_backend(?, ?)', [session?.pid, CLOSING_MS]);
        }
        throw err;
      }
    });
  } catch (err) {
    // The rollback on the closed connection only reports that it is closed.
    throw late ?? err;
  }
}

/**
 * Waits for `work`, which is not stopped when its time is over.
 * @throws TimeoutError after `timeoutMs`
 */
export async function withTimeout<Result>(work: Promise<Result>, timeoutMs: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`${what} took longer than ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
