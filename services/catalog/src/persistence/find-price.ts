import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { isMirrored, Price, type MirroredPrice } from './price.entity.ts';

/**
 * Finds a price of the project.
 * @throws Problem 404 for one that does not exist, is still being created, was deleted, or belongs to another project
 */
export async function findPrice(em: EntityManager, scope: ProjectScope, id: PriceId): Promise<MirroredPrice> {
  const price = await findCreatedPrice(em, scope, id);
  if (!price) throw notFound('price');
  return price;
}

/**
 * Finds a price that an earlier request may have created; null when there is none yet.
 * @throws Problem 404 for one that was deleted since
 */
export async function findCreatedPrice(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: PriceId,
): Promise<MirroredPrice | null> {
  const price = await em.findOne(Price, { id, teamId, projectId });
  if (!price || !isMirrored(price)) return null;
  if (price.deletedAt) throw notFound('price');
  return price;
}

/** The same as `findPrice`, locked until the end of the transaction. */
export async function lockPrice(tx: EntityManager, scope: ProjectScope, id: PriceId): Promise<MirroredPrice> {
  const price = await lockPriceRow(tx, scope, id);
  if (!price || !isMirrored(price) || price.deletedAt) throw notFound('price');
  return price;
}

/** Locks a price's row, also of a reserved or deleted one; null when the project has no such row. */
export function lockPriceRow(tx: EntityManager, scope: ProjectScope, id: PriceId): Promise<Price | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Price, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Finds the prices with the given processor ids, deleted ones too, by `scopedKey`. */
export async function findByProcessorIds(
  em: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, MirroredPrice>> {
  return byKey(await em.find(Price, inProjects('processorPriceId', ids)));
}

/** The same as `findByProcessorIds`, locked until the end of the transaction. */
export async function lockByProcessorIds(
  tx: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, MirroredPrice>> {
  const options = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return byKey(await tx.find(Price, inProjects('processorPriceId', ids), options));
}

/** Returns those of our price ids, by `scopedKey`, under which a price is being created. */
export async function findReservedIds(
  em: EntityManager,
  ids: readonly ProjectObject<PriceId>[],
): Promise<ReadonlySet<string>> {
  // Outside of the identity map: a price that is created now is read again with its processor id.
  const where = { ...inProjects('id', ids), processorPriceId: null };
  const rows = await em.find(Price, where, { disableIdentityMap: true });
  return new Set(rows.map(row => scopedKey({ scope: row, id: row.id })));
}

const byKey = (prices: readonly Price[]): Map<string, MirroredPrice> =>
  new Map(
    prices.filter(isMirrored).map(price => {
      return [scopedKey({ scope: price, id: price.processorPriceId }), price];
    }),
  );
