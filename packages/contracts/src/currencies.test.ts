import fc from 'fast-check';
import { expect, it } from 'vitest';
import { amountFormat, CURRENCIES, decimalsOf } from './currencies.ts';

/** Replaces the no-break spaces of some locales by plain ones. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

it.each([
  [2999, 'usd', 'en-US', '$29.99'],
  [2999, 'eur', 'de-DE', '29,99 €'],
  [2999, 'jpy', 'ja-JP', '￥2,999'],
  [2999, 'krw', 'en-US', '₩2,999'],
  [29_990, 'kwd', 'en-US', 'KWD 29.990'],
  [0, 'usd', 'en-US', '$0.00'],
  [-500, 'usd', 'en-US', '-$5.00'],
  [99_999_999, 'usd', 'en-IN', '$9,99,999.99'],
  [Number.MAX_SAFE_INTEGER, 'usd', 'en-US', '$90,071,992,547,409.91'],
  [2999, 'USD', 'en-US', '$29.99'],
  // Intl has no decimals for these, and two for the ariary.
  [2999, 'all', 'en-US', 'ALL 29.99'],
  [2999, 'huf', 'en-US', 'HUF 29.99'],
  [2999, 'twd', 'en-US', 'NT$29.99'],
  [2999, 'lbp', 'en-US', 'LBP 29.99'],
  [500, 'mga', 'en-US', 'MGA 500'],
  [50_000, 'isk', 'en-US', 'ISK 500'],
  [50_000, 'ugx', 'en-US', 'UGX 500'],
  [50_050, 'ugx', 'en-US', 'UGX 500.50'],
  [2999, 'fr', 'en-US', '29.99 fr'],
])('formats %d %s for %s as %s', (amount, currency, locale, written) => {
  expect(plain(amountFormat(currency, locale)(amount))).toBe(written);
});

it('shows fractions of the smallest unit only when asked to', () => {
  expect(amountFormat('usd', 'en-US', 12)('0.000000000001')).toBe('$0.00000000000001');
  expect(amountFormat('usd', 'en-US', 12)('1250')).toBe('$12.50');
  expect(amountFormat('usd', 'en-US')(833.333)).toBe('$8.33');
});

it('shows every digit of an amount in every currency', () => {
  const amounts = fc.integer({ min: 0, max: 99_999_999 });
  fc.assert(
    fc.property(amounts, fc.constantFrom(...CURRENCIES), (amount, currency) => {
      const [whole = '', decimals = ''] = amountFormat(currency, 'en-US')(amount).split('.');
      const digits = whole.replaceAll(/\D/g, '') + decimals.padEnd(decimalsOf(currency), '0');
      expect(Number(digits)).toBe(amount);
    }),
  );
});
