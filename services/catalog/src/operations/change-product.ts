import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductCreated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import { record } from '@billing/messaging/outbox';
import { isSameContent, stateOf, type ProductContent } from '#domain/product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';

/** Tells that a product has come into being. */
export function recordCreated(tx: EntityManager, product: MirroredProduct): void {
  record(tx, ProductCreated, product.teamId, stateOf(product));
}

/** Takes over what the processor holds of a product, and tells of it if that is anything new; answers whether it was. */
export function takeOver(tx: EntityManager, product: MirroredProduct, content: ProductContent): boolean {
  if (isSameContent(product, content)) return false;
  tx.assign(product, { ...content, version: product.version + 1 });
  record(tx, ProductUpdated, product.teamId, stateOf(product));
  return true;
}

/** Removes a product for good; its row stays as a tombstone. */
export function remove(tx: EntityManager, product: MirroredProduct, deletedAt: Date): void {
  tx.assign(product, { deletedAt, version: product.version + 1 });
  record(tx, ProductDeleted, product.teamId, stateOf(product));
}
