import { html } from 'hono/html';
import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import { formatMoney } from '@billing/contracts/money-format';
import { timeElement, type Html } from './html.ts';
import type { Texts } from './texts.ts';

/** Returns what a discount takes off, and how long: `20% until Jun 2, 2026`; null when only its id is known. */
export function discountText(discount: BilledDiscount, texts: Texts): Html | null {
  const { duration, endsAt } = discount;
  const off = offText(discount, texts.locale);
  if (off === null) return null;
  if (duration === 'once') return texts.html('discountOnce', { off });
  return endsAt ? texts.html('discountUntil', { off, date: timeElement(endsAt, texts.locale) }) : html`${off}`;
}

/** Returns what is taken off; null when that is not known. */
export function offText(
  { percentOff, amountOff, currency }: Pick<BilledDiscount, 'percentOff' | 'amountOff' | 'currency'>,
  locale: string,
): string | null {
  if (percentOff !== null) {
    const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
    return percent.format(percentOff / 100);
  }
  return amountOff === null || currency === null ? null : formatMoney(amountOff, currency, locale);
}
