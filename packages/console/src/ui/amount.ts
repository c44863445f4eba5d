import type { Price, Subscription } from '@billing/client';
import { formatExactMoney, formatMoney } from './money.ts';
import { READER_LOCALE } from './reader-locale.ts';

const PERCENT = new Intl.NumberFormat(READER_LOCALE, { style: 'percent', maximumFractionDigits: 2 });
const COUNT = new Intl.NumberFormat(READER_LOCALE);

/** Formats 12.5 as 12.5%, for the reader's locale. */
export const formatPercent = (percent: number): string => PERCENT.format(percent / 100);

/** Formats 2345 as 2,345, for the reader's locale. */
export const formatCount = (count: number): string => COUNT.format(count);

type SubscriptionItem = Subscription['items'][number];

/** Returns what a price costs, in all of its currencies: `$29.00 · €27.00 a month`; tiers and usage have no single amount. */
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
  const others = 'currencyOptions' in price ? Object.entries(price.currencyOptions).map(inCurrency) : [];
  return `${[amount, ...others].join(' · ')}${usageType === 'metered' ? ' a unit used' : ''}${interval ? ` ${everyInterval(interval, price.intervalCount ?? 1)}` : ''}`;
}

const inCurrency = ([currency, { unitAmount }]: [string, Price['currencyOptions'][string]]): string =>
  unitAmount === null ? currency.toUpperCase() : formatMoney(unitAmount, currency);

const everyInterval = (interval: string, count: number): string =>
  count === 1 ? `a ${interval}` : `every ${count} ${interval}s`;

/** Returns what a subscription costs: its items with their quantities. */
export function formatItems(items: readonly SubscriptionItem[]): string {
  return items
    .map(item => (item.quantity === 1 ? formatPrice(item) : `${item.quantity} × ${formatPrice(item)}`))
    .join(' + ');
}
