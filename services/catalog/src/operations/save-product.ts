import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductCreated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { isSameContent, toState, type ProductContent } from '#domain/product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';

/** Publishes that a product was created. */
export function publishCreated(publish: Publish, product: MirroredProduct, trace?: TraceCarrier): void {
  publish(ProductCreated, product.teamId, toState(product), trace);
}

/** Saves what the processor has of a product; publishes it and returns true if anything differs. */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  product: MirroredProduct,
  content: ProductContent,
  trace?: TraceCarrier,
): boolean {
  if (isSameContent(product, content)) return false;
  tx.assign(product, { ...content, version: product.version + 1 });
  publish(ProductUpdated, product.teamId, toState(product), trace);
  return true;
}

/** Marks a product as deleted, for good, and publishes that. */
export function saveDeleted(
  tx: EntityManager,
  publish: Publish,
  product: MirroredProduct,
  deletedAt: Date,
  trace?: TraceCarrier,
): void {
  tx.assign(product, { deletedAt, version: product.version + 1 });
  publish(ProductDeleted, product.teamId, toState(product), trace);
}
