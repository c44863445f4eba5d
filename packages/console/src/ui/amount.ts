import type { Price, Subscription } from '@billing/client';
import { formatExactMoney, formatMoney } from './money.ts';

const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });

/** Formats 12.5 as 12.5%, for the reader's locale. */
export const formatPercent = (percent: number): string => PERCENT.format(percent / 100);

type SubscriptionItem = Subscription['items'][number];

/** Returns what a price costs: `$29.00 a month`; tiers and usage have no single amount. */
export function formatPrice(price: Price | SubscriptionItem): string {
  const { unitAmount, currency, interval } = price;
  const { billingScheme, usageType, unitAmountDecimal } = price;
  const amount =
    unitAmount !== null
      ? formatMoney(unitAmount, currency)
      : billingScheme === 'tiered'
        ? 'By tiers'
        : unitAmountDecimal
          ? formatExactMoney(unitAmountDecimal, currency)
          : 'By usage';
  return `${amount}${usageType === 'metered' ? ' a unit used' : ''}${interval ? ` ${everyInterval(interval, price.intervalCount ?? 1)}` : ''}`;
}

const everyInterval = (interval: string, count: number): string =>
  count === 1 ? `a ${interval}` : `every ${count} ${interval}s`;

/** Returns what a subscription costs: its items with their quantities. */
export function formatItems(items: readonly SubscriptionItem[]): string {
  return items
    .map(item => (item.quantity === 1 ? formatPrice(item) : `${item.quantity} × ${formatPrice(item)}`))
    .join(' + ');
}
