import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from './bound-statement.ts';
import { scopedKey, type ProjectObject } from './project-objects.ts';

/**
 * Locks objects of one kind until the transaction ends, whether they have a row or not: two transactions never insert the
 * same one. With `shared`, other transactions may share the lock.
 *
 * One call takes its locks in the order of their names. A service that locks several kinds in one transaction always takes
 * them in the same order, and before the locks of rows, so that there are no deadlocks.
 */
export async function lockObjects(
  tx: EntityManager,
  kind: string,
  objects: readonly ProjectObject[],
  { shared = false } = {},
): Promise<void> {
  if (objects.length === 0) return;
  const names = new Set(objects.map(object => `${kind}/${scopedKey(object)}`));
  const lock = shared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await executeBound(tx, `select ${lock}(hashtextextended(name, 0)) from unnest($1::text[]) as name`, [
    [...names].toSorted(),
  ]);
}
