import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { formatMoney } from '@billing/contracts/money-format';
import { formatCardBrand, formatCardExpiry, hasCardExpired } from './card.ts';
import { formatDate, formatPeriod } from './dates.ts';
import { formatPrice } from './money.ts';
import { readerLocale } from './reader-locale.ts';
import { firstLetter } from './text.ts';

const item: BilledItem = {
  processorPriceId: 'price_1',
  processorProductId: 'prod_1',
  priceId: null,
  unitAmount: 2999,
  unitAmountDecimal: '2999',
  billingScheme: 'per_unit',
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
};

it.each<[Partial<BilledItem>, string]>([
  [{}, '$29.99 / month'],
  [{ quantity: 3 }, '$29.99 / month × 3'],
  [{ quantity: 1200 }, '$29.99 / month × 1,200'],
  [{ interval: 'year' }, '$29.99 / year'],
  [{ intervalCount: 3 }, '$29.99 every 3 months'],
  [{ intervalCount: null }, '$29.99 / month'],
  [{ interval: null, intervalCount: null }, '$29.99 once'],
  [{ unitAmount: null }, 'By usage / month'],
  [{ metered: true }, 'By usage / month'],
])('formats a price with %j as %s', (changes, formatted) => {
  const { amount, terms } = formatPrice({ ...item, ...changes }, 'en-US');
  expect(amount + terms).toBe(formatted);
});

it.each([
  [undefined, 'en-US'],
  ['', 'en-US'],
  ['*', 'en-US'],
  ['de', 'de'],
  ['de-CH, en;q=0.5', 'de-CH'],
  ['en;q=0.5, fr-CA', 'fr-CA'],
  ['de;q=0, fr', 'fr'],
  ['ar-EG, en;q=0.5', 'ar-EG-u-nu-latn'],
  ['xx-invalid-language-tag-that-is-far-too-long, pt-BR;q=0.2', 'pt-BR'],
  ['<script>, ja', 'ja'],
  [`${'zz,'.repeat(5_000)}de`, 'en-US'],
])('reads the locale of %j as %s', (header, locale) => {
  expect(readerLocale(header)).toBe(locale);
});

it('returns a usable locale for any header', () => {
  fc.assert(
    fc.property(fc.string(), header => {
      expect(() => formatMoney(1, 'usd', readerLocale(header))).not.toThrow();
    }),
  );
});

it('formats days in UTC and in the order of the locale', () => {
  const lateEvening = new Date('2026-11-20T23:59:59Z');
  expect(formatDate(lateEvening, 'en-US')).toBe('Nov 20, 2026');
  expect(formatDate(lateEvening, 'de')).toBe('20.11.2026');
});

it('formats a period as the locale does, whichever day comes first', () => {
  const [start, end] = [new Date('2026-11-20T00:00:00Z'), new Date('2026-12-20T00:00:00Z')];
  const spaced = (text: string) => text.replaceAll(/\s/g, ' ');
  expect(spaced(formatPeriod(start, end, 'en-US'))).toBe('Nov 20 – Dec 20, 2026');
  expect(formatPeriod(start, start, 'en-US')).toBe('Nov 20, 2026');
});

it.each([
  ['acme', 'A'],
  ['  Ωmega', 'Ω'],
  ['👩‍🚀 space', '👩‍🚀'],
  ['عميل', 'ع'],
  ['', ''],
])('returns the first letter of %j as %j', (name, letter) => {
  expect(firstLetter(name)).toBe(letter);
});

it('formats the expiry of a card', () => {
  expect(formatCardExpiry({ expMonth: 8, expYear: 2027 }, 'en-US')).toBe('08/2027');
});

it('keeps a card valid until the last day of its month', () => {
  const card = { expMonth: 12, expYear: 2026 };
  expect(hasCardExpired(card, new Date('2026-12-31T23:59:59Z'))).toBe(false);
  expect(hasCardExpired(card, new Date('2027-01-01T00:00:00Z'))).toBe(true);
});

it('makes an unknown card brand readable', () => {
  expect(formatCardBrand('amex')).toBe('American Express');
  expect(formatCardBrand('new_brand')).toBe('New brand');
});
