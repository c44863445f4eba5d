import type { PriceSnapshot, Processor } from '@billing/processor/port';
import type { Changes } from '#domain/changes.ts';
import { keepsTaxBehavior } from '#domain/price.ts';

/**
 * Changes a price at the processor. It does not archive the default price of a product, so that is first made no longer
 * the default.
 */
export async function updateProcessorPrice(
  processor: Processor,
  processorId: string,
  changes: Changes,
  idempotencyKey: string,
): Promise<PriceSnapshot> {
  if (changes.isActive === false) {
    const { productId, taxBehavior } = await processor.findPrice(processorId);
    const { defaultPriceId } = await processor.findProduct(productId);
    // What will be refused changes nothing.
    if (defaultPriceId === processorId && !keepsTaxBehavior(taxBehavior, changes.taxBehavior))
      await processor.updateProduct(productId, { defaultPriceId: '' }, `${idempotencyKey}:default`);
  }
  return processor.updatePrice(processorId, changes, idempotencyKey);
}
