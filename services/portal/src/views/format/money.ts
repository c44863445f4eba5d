import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { formatMoney } from '@billing/contracts/money-format';

/** A price in two parts, to be shown one after the other: `$29.99` and ` / month × 3`, `$5.00` and ` once`. */
export interface FormattedPrice {
  readonly amount: string;
  readonly terms: string;
}

/** Returns an item's price in the reader's locale. A metered price, or one without a single amount, is `By usage`. */
export function formatPrice(item: BilledItem, locale: string): FormattedPrice {
  if (item.unitAmount === null || item.metered) return { amount: 'By usage', terms: interval(item) };
  const times = item.quantity === 1 ? '' : ` × ${new Intl.NumberFormat(locale).format(item.quantity)}`;
  return { amount: formatMoney(item.unitAmount, item.currency, locale), terms: `${interval(item)}${times}` };
}

function interval({ interval: unit, intervalCount }: BilledItem): string {
  if (unit === null) return ' once';
  const count = intervalCount ?? 1;
  return count === 1 ? ` / ${unit}` : ` every ${count} ${unit}s`;
}
