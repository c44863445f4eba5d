import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlState } from './sql-state.ts';

const MAX_ATTEMPTS = 4;

/** PostgreSQL ended the transaction because of another one, and it may succeed when it runs again: deadlock, serialization failure. */
const REPEATABLE: ReadonlySet<string | undefined> = new Set(['40P01', '40001']);
/** Besides those, a lock that was not free in time. */
const LOCK_TIMEOUT = '55P03';

/**
 * Runs `work` in a transaction of its own. It runs again, up to three times, when PostgreSQL ended it because of another
 * transaction: `work` must do nothing that a rollback does not undo.
 */
export async function inTransaction<Result>(
  em: EntityManager,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await em.fork().transactional(work);
    } catch (err) {
      if (attempt === MAX_ATTEMPTS || !REPEATABLE.has(sqlState(err))) throw err;
      await pause(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Returns whether an error means that other transactions changed the same rows all the time. */
export function isWriteConflict(err: unknown): boolean {
  const code = sqlState(err);
  return REPEATABLE.has(code) || code === LOCK_TIMEOUT;
}
