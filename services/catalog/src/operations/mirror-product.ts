import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { ProductSnapshot } from '@billing/processor/port';
import { idOfMirrored } from '@billing/service/derived-id';
import { toContent } from '#domain/product.ts';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';
import { publishCreated } from './save-product.ts';

interface Source {
  /**
   * When the event happened that carried the product; null when it was read from the processor. Then its events are
   * still to come, and may be older than what was read.
   */
  readonly eventAt: Date | null;
  readonly createdAt: Date;
  /** The id that the product had before, if it was created here. */
  readonly id?: ProductId | undefined;
  readonly trace: TraceCarrier;
}

/** Adds a product that was created at the processor. */
export function mirrorProduct(
  tx: EntityManager,
  publish: Publish,
  scope: ProjectScope,
  snapshot: ProductSnapshot,
  { eventAt, createdAt, trace, id = idOfMirrored(ProductId, scope, snapshot.id) }: Source,
): MirroredProduct {
  const product = tx.create(Product, {
    ...scope,
    ...toContent(snapshot),
    id,
    processorProductId: snapshot.id,
    processorUpdatedAt: eventAt,
    awaitsWebhook: eventAt === null,
    version: 1,
    createdAt,
    deletedAt: null,
  });
  if (!isMirrored(product)) throw new Error('The processor gave the product no id.');
  publishCreated(publish, product, trace);
  return product;
}
