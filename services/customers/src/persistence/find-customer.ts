import type { CustomerSnapshot } from '@billing/processor/port';
import { isOfLife } from '@billing/service/lives';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { isMirrored, mirroredRows } from '@billing/service/mirrored-rows';
import { Customer, type LinkedCustomer } from './customer.entity.ts';

/** The rows of customers. A customer may be deleted here and created again, so that several have one of the processor's ids. */
export const customers = mirroredRows(Customer, 'customer');

/** Finds deleted customers that were linked to the given ones of the processor, locked, by `scopedKey`. */
export async function lockDeletedByProcessorIds(
  tx: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, LinkedCustomer[]>> {
  if (ids.length === 0) return new Map();
  const where = { ...inProjects('processorId', ids), deletedAt: { $ne: null } };
  const found = await tx.find(Customer, where, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });
  return Map.groupBy(found.filter(isMirrored), it => scopedKey({ scope: it, id: it.processorId }));
}

/** Returns what has a customer's id at the processor; a stub where that is another customer by now. */
export const ofSameLife = (found: CustomerSnapshot, processorCreatedAt: Date | null): CustomerSnapshot =>
  found.deleted || isOfLife({ processorCreatedAt, deletedAt: null }, found.createdAt)
    ? found
    : { deleted: true, id: found.id };
