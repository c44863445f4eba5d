import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { formatExactMoney, formatMoney } from '@billing/contracts/money-format';
import { html } from 'hono/html';
import type { Html } from './html.ts';
import type { Texts } from './texts.ts';

type PricedItem = Pick<
  BilledItem,
  'unitAmount' | 'unitAmountDecimal' | 'currency' | 'interval' | 'intervalCount' | 'quantity' | 'metered'
> &
  Partial<Pick<BilledItem, 'transformQuantity'>>;

/** Returns an item's price: `$29.99 / month × 3`. One that is metered, or has tiers, has no single amount. */
export function priceText(item: PricedItem, texts: Texts): Html {
  const { interval, intervalCount, quantity, metered } = item;
  const terms = { interval: interval ?? 'once', count: intervalCount ?? 1, quantity: metered ? 1 : quantity };
  return texts.html('price', { amount: amountText(item, texts), ...terms });
}

/** Returns an item's price, and what several cost together at face value: `$29.99 / month × 3 = $89.97`. */
export function priceWithSum(item: PricedItem, texts: Texts): Html {
  const [price, sum] = [priceText(item, texts), sumOf(item)];
  return sum === null ? price : html`${price} = <b>${formatMoney(sum, item.currency, texts.locale)}</b>`;
}

/** In the smallest unit; null for one of a price, and where the amount of one does not say that of several. */
function sumOf({ unitAmount, quantity, metered, transformQuantity }: PricedItem): number | null {
  return unitAmount === null || quantity === 1 || metered || transformQuantity ? null : unitAmount * quantity;
}

/** Packages are sold as a whole, whatever of one is used: `$29.99 per 1,000`. */
function amountText(
  { unitAmount, unitAmountDecimal, currency, metered, transformQuantity }: PricedItem,
  texts: Texts,
): string {
  if (metered) return texts.text('byUsage');
  if (unitAmount === null && unitAmountDecimal === null) return texts.text('byQuantity');
  const amount =
    unitAmount === null
      ? formatExactMoney(unitAmountDecimal ?? '', currency, texts.locale)
      : formatMoney(unitAmount, currency, texts.locale);
  return transformQuantity ? texts.text('package', { amount, size: transformQuantity.divideBy }) : amount;
}
