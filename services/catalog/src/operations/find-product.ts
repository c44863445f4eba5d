import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ProductId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';

/**
 * A product of the project.
 * @throws Problem 404 for one that is not there, is still being created, was deleted, or belongs to another project
 */
export async function findProduct(em: EntityManager, scope: ProjectScope, id: ProductId): Promise<MirroredProduct> {
  const { teamId, projectId } = scope;
  const product = await em.findOne(Product, { id, teamId, projectId, deletedAt: null });
  if (!isMirrored(product)) throw notFound('product');
  return product;
}

/** The same, locked until the end of the transaction. */
export async function lockProduct(tx: EntityManager, scope: ProjectScope, id: ProductId): Promise<MirroredProduct> {
  const product = await lockProductRow(tx, scope, id);
  if (!isMirrored(product) || product.deletedAt) throw notFound('product');
  return product;
}

/** A product's row whatever has become of it, locked; null where the project has none. */
export function lockProductRow(tx: EntityManager, scope: ProjectScope, id: ProductId): Promise<Product | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Product, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
