import type { BilledDiscount, BilledItem } from './events/subscriptions.ts';

/** Returns whether a discount takes something off an item: of all items, of the one at a place, or of some products. */
export const isDiscounted = (
  { itemIndex, processorProductIds: products }: Pick<BilledDiscount, 'itemIndex' | 'processorProductIds'>,
  { processorProductId }: Pick<BilledItem, 'processorProductId'>,
  index: number,
): boolean =>
  (itemIndex === null || itemIndex === index) && (products === null || products.includes(processorProductId));
