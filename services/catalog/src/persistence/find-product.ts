import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ProductId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { isMirrored, Product, type MirroredProduct } from './product.entity.ts';

/**
 * Finds a product of the project.
 * @throws Problem 404 for one that does not exist, is still being created, was deleted, or belongs to another project
 */
export async function findProduct(em: EntityManager, scope: ProjectScope, id: ProductId): Promise<MirroredProduct> {
  const product = await findCreatedProduct(em, scope, id);
  if (!product) throw notFound('product');
  return product;
}

/**
 * Finds a product that an earlier request may have created; null when there is none yet.
 * @throws Problem 404 for one that was deleted since
 */
export async function findCreatedProduct(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: ProductId,
): Promise<MirroredProduct | null> {
  const product = await em.findOne(Product, { id, teamId, projectId });
  if (!isMirrored(product)) return null;
  if (product.deletedAt) throw notFound('product');
  return product;
}

/** The same as `findProduct`, locked until the end of the transaction. */
export async function lockProduct(tx: EntityManager, scope: ProjectScope, id: ProductId): Promise<MirroredProduct> {
  const product = await lockProductRow(tx, scope, id);
  if (!isMirrored(product) || product.deletedAt) throw notFound('product');
  return product;
}

/** Locks a product's row, also of a reserved or deleted one; null when the project has no such row. */
export function lockProductRow(tx: EntityManager, scope: ProjectScope, id: ProductId): Promise<Product | null> {
  const { teamId, projectId } = scope;
  return tx.findOne(Product, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Finds the products with the given processor ids, deleted ones too, by `scopedKey`. */
export async function findByProcessorIds(
  em: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, MirroredProduct>> {
  return byKey(await em.find(Product, inProjects('processorProductId', ids)));
}

/** The same as `findByProcessorIds`, locked until the end of the transaction. */
export async function lockByProcessorIds(
  tx: EntityManager,
  ids: readonly ProjectObject[],
): Promise<Map<string, MirroredProduct>> {
  const options = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  return byKey(await tx.find(Product, inProjects('processorProductId', ids), options));
}

/** Returns those of our product ids, by `scopedKey`, under which a product is being created. */
export async function findReservedIds(
  em: EntityManager,
  ids: readonly ProjectObject<ProductId>[],
): Promise<ReadonlySet<string>> {
  // Outside of the identity map: a product that is created now is read again with its processor id.
  const where = { ...inProjects('id', ids), processorProductId: null };
  const rows = await em.find(Product, where, { disableIdentityMap: true });
  return new Set(rows.map(row => scopedKey({ scope: row, id: row.id })));
}

const byKey = (products: readonly Product[]): Map<string, MirroredProduct> =>
  new Map(
    products.filter(isMirrored).map(product => {
      return [scopedKey({ scope: product, id: product.processorProductId }), product];
    }),
  );
