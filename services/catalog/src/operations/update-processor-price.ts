import type { PriceSnapshot, Processor } from '@billing/processor/port';
import type { Changes } from '#domain/changes.ts';
import { keepsTaxBehavior, requireAddable, toContent } from '#domain/price.ts';

/**
 * Changes a price at the processor. It does not archive the default price of a product, so that is first made no longer
 * the default. It would replace amounts, so those that it has are read first.
 * @throws Problem 422 `currency_amount_set`, with nothing changed
 */
export async function updateProcessorPrice(
  processor: Processor,
  processorId: string,
  changes: Changes,
  idempotencyKey: string,
): Promise<PriceSnapshot> {
  const { isActive, taxBehavior, currencyOptions: added } = changes;
  if (isActive !== false && taxBehavior === undefined && !added)
    return processor.updatePrice(processorId, changes, idempotencyKey);
  const price = await processor.findPrice(processorId);
  requireAddable({ currency: price.currency, ...toContent(price) }, added);
  if (isActive === false) {
    const { productId } = price;
    const { defaultPriceId } = await processor.findProduct(productId);
    // What will be refused changes nothing.
    if (defaultPriceId === processorId && !keepsTaxBehavior(price.taxBehavior, taxBehavior))
      await processor.updateProduct(productId, { defaultPriceId: '' }, `${idempotencyKey}:default`);
  }
  const currencyOptions = optionsOf(price, changes);
  return processor.updatePrice(processorId, { ...changes, currencyOptions }, idempotencyKey);
}

/** Each currency has a tax behavior of its own at the processor: all get that of the price. */
function optionsOf(price: PriceSnapshot, { taxBehavior, currencyOptions: added = {} }: Changes) {
  const current = taxBehavior === undefined ? {} : (toContent(price).currencyOptions ?? {});
  const behavior = { taxBehavior: taxBehavior ?? price.taxBehavior };
  const kept = Object.keys(current).filter(code => !Object.hasOwn(added, code));
  return {
    ...Object.fromEntries(kept.map(code => [code, behavior])),
    ...Object.fromEntries(Object.entries(added).map(([code, amount]) => [code, { ...amount, ...behavior }])),
  };
}
