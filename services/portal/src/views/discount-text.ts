import { html } from 'hono/html';
import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import { formatMoney } from '@billing/contracts/money-format';
import { timeElement, type Html } from './html.ts';
import type { Texts } from './texts.ts';

/** Returns what a discount takes off, and until when: `20% until Jun 2, 2026`; null when only its id is known. */
export function discountText(
  { percentOff, amountOff, currency, endsAt }: Pick<BilledDiscount, 'percentOff' | 'amountOff' | 'currency' | 'endsAt'>,
  texts: Texts,
): Html | null {
  const off = offText({ percentOff, amountOff, currency }, texts.locale);
  if (off === null) return null;
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
