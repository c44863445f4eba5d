import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { ProductSnapshot } from '@billing/processor/port';
import { contentOf } from '#domain/product.ts';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';
import { recordCreated } from './change-product.ts';

/**
 * Adds a product that was made at the processor. `toldAt` is when the event that tells of it happened, or null where
 * the processor was asked: then its events are still to come, and may be older than what it answered.
 */
export function mirrorProduct(
  tx: EntityManager,
  scope: ProjectScope,
  snapshot: ProductSnapshot,
  toldAt: Date | null,
): MirroredProduct {
  const product = tx.create(Product, {
    ...scope,
    ...contentOf(snapshot),
    id: ProductId.create(),
    processorProductId: snapshot.id,
    processorUpdatedAt: toldAt,
    awaitsEcho: toldAt === null,
    version: 1,
    createdAt: new Date(),
    deletedAt: null,
  });
  if (!isMirrored(product)) throw new Error('The processor gave the product no id.');
  recordCreated(tx, product);
  return product;
}
