import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { formatMoney } from './money.ts';

/** What one item costs, in two parts that follow each other: `$29.99` and ` / month × 3`, `$5.00` and ` once`. */
export interface FormattedPrice {
  readonly amount: string;
  readonly terms: string;
}

/** An item's price as the reader's locale writes it; one that is metered, or has no single amount, is `By usage`. */
export function formatPrice(item: BilledItem, locale: string): FormattedPrice {
  if (item.unitAmount === null || item.metered) return { amount: 'By usage', terms: period(item) };
  const times = item.quantity === 1 ? '' : ` × ${new Intl.NumberFormat(locale).format(item.quantity)}`;
  return { amount: formatMoney(item.unitAmount, item.currency, locale), terms: `${period(item)}${times}` };
}

function period({ interval, intervalCount }: BilledItem): string {
  if (interval === null) return ' once';
  const count = intervalCount ?? 1;
  return count === 1 ? ` / ${interval}` : ` every ${count} ${interval}s`;
}
