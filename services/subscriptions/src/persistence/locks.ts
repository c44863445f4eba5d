import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { scopedKey, type ProcessorObject } from './processor-object.ts';

/** An object of the processor that may have no row yet, so that there is no row to lock. */
type ObjectKind = 'price' | 'subscription' | 'invoice' | 'payment';

/**
 * Locks objects of the processor, recorded here or not, until the transaction ends. With `shared`, other transactions may
 * share the lock.
 *
 * A transaction takes locks in the order price, subscription, invoice or payment, and those of one kind in the order of
 * their names, so that there are no deadlocks.
 */
export async function lockAll(
  tx: EntityManager,
  kind: ObjectKind,
  objects: readonly ProcessorObject[],
  { shared = false } = {},
): Promise<void> {
  if (objects.length === 0) return;
  const names = new Set(objects.map(object => `${kind}/${scopedKey(object)}`));
  const lock = shared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await executeBound(tx, `select ${lock}(hashtextextended(name, 0)) from unnest($1::text[]) as name`, [
    [...names].toSorted(),
  ]);
}
