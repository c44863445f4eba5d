import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { keyOf, selectInProjects, type InProject } from './in-project.ts';
import { isListed, isMirrored, Price, type ListedPrice, type MirroredPrice } from './price.entity.ts';

/**
 * Finds a price of the project.
 * @throws Problem 404 for one that does not exist, is still being created, was deleted, has no single amount, or belongs
 * to another project
 */
export async function findPrice(em: EntityManager, scope: ProjectScope, id: PriceId): Promise<ListedPrice> {
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
): Promise<ListedPrice | null> {
  const price = await em.findOne(Price, { id, teamId, projectId });
  if (!price || !isListed(price)) return null;
  if (price.deletedAt) throw notFound('price');
  return price;
}

/** The same as `findPrice`, locked until the end of the transaction. */
export async function lockPrice(tx: EntityManager, scope: ProjectScope, id: PriceId): Promise<ListedPrice> {
  const price = await lockPriceRow(tx, scope, id);
  if (!price || !isListed(price) || price.deletedAt) throw notFound('price');
  return price;
}

/** Locks a price's row, also of a reserved or deleted one; null when the project has no such row. */
export function lockPriceRow(tx: EntityManager, scope: ProjectScope, id: PriceId): Promise<Price | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Price, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Finds the prices with the given processor ids, deleted ones too, by `keyOf`. */
export async function findByProcessorIds(
  em: EntityManager,
  ids: readonly InProject[],
): Promise<Map<string, MirroredPrice>> {
  return byKey(await selectInProjects(em, Price, 'processor_price_id', ids).getResultList());
}

/** The same as `findByProcessorIds`, locked until the end of the transaction. */
export async function lockByProcessorIds(
  tx: EntityManager,
  ids: readonly InProject[],
): Promise<Map<string, MirroredPrice>> {
  const query = selectInProjects(tx, Price, 'processor_price_id', ids).orderBy({ id: 'asc' });
  return byKey(await query.setLockMode(LockMode.PESSIMISTIC_WRITE).getResultList());
}

/** Returns those of our price ids, by `keyOf`, under which a price is being created. */
export async function findReservedIds(em: EntityManager, ids: readonly InProject[]): Promise<ReadonlySet<string>> {
  const query = selectInProjects(em, Price, 'id', ids).andWhere({ processorPriceId: null });
  // Not as entities: a price that is created now is read again with its processor id.
  const rows = await query.execute<Pick<Price, 'teamId' | 'projectId' | 'id'>[]>('all');
  return new Set(rows.map(({ id, ...scope }) => keyOf({ ...scope, value: id })));
}

const byKey = (prices: readonly Price[]): Map<string, MirroredPrice> =>
  new Map(
    prices.filter(isMirrored).map(price => {
      const { teamId, projectId, processorPriceId: value } = price;
      return [keyOf({ teamId, projectId, value }), price];
    }),
  );
