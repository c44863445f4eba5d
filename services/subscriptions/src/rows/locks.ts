import type { EntityManager } from '@mikro-orm/postgresql';
import { lockObjects } from '@billing/database/advisory-locks';
import type { ProjectObject } from '@billing/database/project-objects';

/** The kinds of the processor's objects that a transaction locks, in the order in which it locks them. */
export type LockedKind = 'price' | 'discount' | 'subscription' | 'invoice' | 'payment' | 'state';

/** Locks objects of the processor, recorded here or not, until the transaction ends. */
export const lockAll = (
  tx: EntityManager,
  kind: LockedKind,
  objects: readonly ProjectObject[],
  options?: { readonly shared: boolean },
): Promise<void> => lockObjects(tx, kind, objects, options);

/**
 * Locks customers of the processor until the transaction ends, after all other objects. Those of a project whose ids end
 * alike share a lock: PostgreSQL has room for a limited number of locks, and a batch may have many new customers.
 */
export const lockCustomers = (
  tx: EntityManager,
  customers: readonly ProjectObject[],
  options?: { readonly shared: boolean },
): Promise<void> =>
  lockObjects(
    tx,
    'customer',
    customers.map(({ scope, id }) => ({ scope, id: id.slice(-1) })),
    options,
  );
