import type { EntityManager } from '@mikro-orm/postgresql';
import { lockObjects } from '@billing/database/advisory-locks';
import type { ProjectObject } from '@billing/database/project-objects';

/**
 * The kinds of the processor's objects that a transaction locks, in the order in which it locks them. It locks either
 * invoices or payments.
 */
type LockedKind = 'price' | 'subscription' | 'invoice' | 'payment';

/** Locks objects of the processor, recorded here or not, until the transaction ends. */
export const lockAll = (
  tx: EntityManager,
  kind: LockedKind,
  objects: readonly ProjectObject[],
  options?: { readonly shared: boolean },
): Promise<void> => lockObjects(tx, kind, objects, options);
