import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { formatCardBrand, formatCardExpiry, hasCardExpired } from './card.ts';
import { formatDate, formatPeriod } from './dates.ts';
import { decimalsOf, formatMoney, formatPrice } from './money.ts';
import { readerLocale } from './reader-locale.ts';
import { firstLetter } from './text.ts';

/** Replaces the no-break spaces of some locales by plain ones. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

it.each([
  [2999, 'usd', 'en-US', '$29.99'],
  [2999, 'eur', 'de-DE', '29,99 €'],
  [2999, 'jpy', 'en-US', '¥2,999'],
  [2999, 'jpy', 'ja-JP', '￥2,999'],
  [2999, 'krw', 'en-US', '₩2,999'],
  [29_990, 'kwd', 'en-US', 'KWD 29.990'],
  [2990, 'bhd', 'en-US', 'BHD 2.990'],
  [0, 'usd', 'en-US', '$0.00'],
  [-500, 'usd', 'en-US', '-$5.00'],
  [99_999_999, 'usd', 'en-IN', '$9,99,999.99'],
  [2999, 'USD', 'en-US', '$29.99'],
  [2999, 'all', 'en-US', 'ALL 29.99'],
  [2999, 'huf', 'en-US', 'HUF 29.99'],
  [50_000, 'isk', 'en-US', 'ISK 500'],
  [50_000, 'ugx', 'en-US', 'UGX 500'],
  [500, 'mga', 'en-US', 'MGA 500'],
  [2999, 'fr', 'en-US', '29.99 fr'],
])('formats %d %s for %s as %s', (amount, currency, locale, written) => {
  expect(plain(formatMoney(amount, currency, locale))).toBe(written);
});

it('shows every digit of an amount', () => {
  const amounts = fc.integer({ min: 0, max: 99_999_999 });
  fc.assert(
    fc.property(amounts, fc.constantFrom('usd', 'jpy', 'kwd', 'all', 'clp', 'tnd'), (amount, currency) => {
      const digits = formatMoney(amount, currency, 'en-US').replaceAll(/\D/g, '');
      expect(Number(digits)).toBe(amount);
      expect(digits.length).toBeGreaterThan(decimalsOf(currency));
    }),
  );
});

const item: BilledItem = {
  processorPriceId: 'price_1',
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
  expect(formatPeriod(end, start, 'en-US')).toBe(formatPeriod(start, end, 'en-US'));
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
