import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceSnapshot, Processor } from '@billing/processor/port';
import type { PriceChanges } from '#domain/price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';
import { isMirrored, Product } from '#persistence/product.entity.ts';

/** A price and its product by the processor's ids. */
interface IdsAtProcessor {
  readonly processorPriceId: string;
  readonly processorProductId: string;
}

/** What the processor calls a price and its product, which may have been deleted here since. */
export async function idsAtProcessor(em: EntityManager, price: MirroredPrice): Promise<IdsAtProcessor> {
  const { teamId, projectId, productId, processorPriceId } = price;
  const product = await em.findOne(Product, { id: productId, teamId, projectId });
  if (!isMirrored(product)) throw new Error(`Price ${price.id} has no product.`);
  return { processorPriceId, processorProductId: product.processorProductId };
}

/** Changes a price at the processor, which archives none that is its product's default: that is taken away first. */
export async function changeAtProcessor(
  processor: Processor,
  { processorPriceId, processorProductId }: IdsAtProcessor,
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
