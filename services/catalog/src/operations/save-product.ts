import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductCreated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import type { Publish } from '@billing/messaging/outbox';
import { isSameContent, toState, type ProductContent } from '#domain/product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';

/** Publishes that a product was created. */
export function publishCreated(publish: Publish, product: MirroredProduct): void {
  publish(ProductCreated, product.teamId, toState(product));
}

/** Saves what the processor has of a product; publishes it and returns true if anything differs. */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  product: MirroredProduct,
  content: ProductContent,
): boolean {
  if (isSameContent(product, content)) return false;
  tx.assign(product, { ...content, version: product.version + 1 });
  publish(ProductUpdated, product.teamId, toState(product));
  return true;
}

/** Marks a product as deleted, for good, and publishes that. */
export function saveDeleted(tx: EntityManager, publish: Publish, product: MirroredProduct, deletedAt: Date): void {
  tx.assign(product, { deletedAt, version: product.version + 1 });
  publish(ProductDeleted, product.teamId, toState(product));
}
