/** What callers see of an item of a subscription, of a price with a fixed amount per unit. */
export interface ShownItem {
  readonly priceId: string;
  readonly processorPriceId: string;
  readonly quantity: number;
  readonly unitAmount: number;
  readonly currency: string;
  readonly interval: string;
  readonly intervalCount: number;
}

/** Returns what callers see of an item that may have more. */
export function toShownItem(item: ShownItem): ShownItem {
  const { priceId, processorPriceId, quantity, unitAmount, currency, interval, intervalCount } = item;
  return { priceId, processorPriceId, quantity, unitAmount, currency, interval, intervalCount };
}
