import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { isMirrored, Price, type MirroredPrice } from '#persistence/price.entity.ts';

/** A price that callers can be shown: the processor's prices of tiers or decimals have no amount to show. */
export type ListedPrice = MirroredPrice & { unitAmount: number };

/** Whether callers can be shown the price. */
export function isListed(price: Price): price is ListedPrice {
  return isMirrored(price) && price.unitAmount !== null;
}

/**
 * A price of the project.
 * @throws Problem 404 for one that is not there, is still being created, was deleted, has no single amount, or belongs
 * to another project
 */
export async function findPrice(em: EntityManager, scope: ProjectScope, id: PriceId): Promise<ListedPrice> {
  const { teamId, projectId } = scope;
  const price = await em.findOne(Price, { id, teamId, projectId, deletedAt: null });
  if (!price || !isListed(price)) throw notFound('price');
  return price;
}

/** The same, locked until the end of the transaction. */
export async function lockPrice(tx: EntityManager, scope: ProjectScope, id: PriceId): Promise<ListedPrice> {
  const price = await lockPriceRow(tx, scope, id);
  if (!price || !isListed(price) || price.deletedAt) throw notFound('price');
  return price;
}

/** A price's row whatever has become of it, locked; null where the project has none. */
export function lockPriceRow(tx: EntityManager, scope: ProjectScope, id: PriceId): Promise<Price | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Price, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
