import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { keyOf, type InProject } from './in-project.ts';

interface ProcessorObjects {
  /** The processor's ids. */
  readonly products: readonly InProject[];
  readonly prices?: readonly InProject[];
}

/**
 * Locks products and prices of the processor until the transaction ends, also those that have no row here yet: two
 * transactions never insert the same one. All transactions take these locks in the same order, and before those of rows,
 * so that there are no deadlocks.
 */
export async function lockProcessorObjects(
  tx: EntityManager,
  { products, prices = [] }: ProcessorObjects,
): Promise<void> {
  const names = [...products.map(it => `product/${keyOf(it)}`), ...prices.map(it => `price/${keyOf(it)}`)];
  await executeBound(tx, 'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name', [
    [...new Set(names)].toSorted(),
  ]);
}
