import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceSnapshot, Processor } from '@billing/processor/port';
import type { PriceChanges } from '#domain/price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';
import { isMirrored, Product } from '#persistence/product.entity.ts';

/** The processor's ids of a price and its product. */
interface ProcessorIds {
  readonly processorPriceId: string;
  readonly processorProductId: string;
}

/** Returns the processor's ids of a price and its product, which may have been deleted here since. */
export async function processorIdsOf(em: EntityManager, price: MirroredPrice): Promise<ProcessorIds> {
  const { teamId, projectId, productId, processorPriceId } = price;
  const product = await em.findOne(Product, { id: productId, teamId, projectId });
  if (!isMirrored(product)) throw new Error(`Price ${price.id} has no product.`);
  return { processorPriceId, processorProductId: product.processorProductId };
}

/**
 * Changes a price at the processor. It does not archive the default price of a product, so that is first made no longer
 * the default.
 */
export async function updateProcessorPrice(
  processor: Processor,
  { processorPriceId, processorProductId }: ProcessorIds,
  changes: PriceChanges,
  idempotencyKey: string,
): Promise<PriceSnapshot> {
  if (changes.isActive === false) {
    const { defaultPriceId } = await processor.findProduct(processorProductId);
    if (defaultPriceId === processorPriceId)
      await processor.updateProduct(processorProductId, { defaultPriceId: '' }, `${idempotencyKey}:default`);
  }
  return processor.updatePrice(processorPriceId, changes, idempotencyKey);
}
