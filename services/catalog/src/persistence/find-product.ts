import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ProductId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { keyOf, selectInProjects, type InProject } from './in-project.ts';
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

/** Finds the products with the given processor ids, deleted ones too, by `keyOf`. */
export async function findByProcessorIds(
  em: EntityManager,
  ids: readonly InProject[],
): Promise<Map<string, MirroredProduct>> {
  return byKey(await selectInProjects(em, Product, 'processor_product_id', ids).getResultList());
}

/** The same as `findByProcessorIds`, locked until the end of the transaction. */
export async function lockByProcessorIds(
  tx: EntityManager,
  ids: readonly InProject[],
): Promise<Map<string, MirroredProduct>> {
  const query = selectInProjects(tx, Product, 'processor_product_id', ids).orderBy({ id: 'asc' });
  return byKey(await query.setLockMode(LockMode.PESSIMISTIC_WRITE).getResultList());
}

/** Returns those of the names, by `keyOf`, under which a product is being created. */
export async function findReservedNames(em: EntityManager, names: readonly InProject[]): Promise<ReadonlySet<string>> {
  const query = selectInProjects(em, Product, 'name', names).andWhere({ processorProductId: null });
  // Not as entities: a product that is created now is read again with its processor id.
  const rows = await query.execute<Pick<Product, 'teamId' | 'projectId' | 'name'>[]>('all');
  return new Set(rows.map(({ name, ...scope }) => keyOf({ ...scope, value: name })));
}

const byKey = (products: readonly Product[]): Map<string, MirroredProduct> =>
  new Map(
    products.filter(isMirrored).map(product => {
      const { teamId, projectId, processorProductId: value } = product;
      return [keyOf({ teamId, projectId, value }), product];
    }),
  );
