import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chargeStepOf, decimalsOf, isWholeCurrency, PROCESSOR_CURRENCIES } from './currency-decimals.ts';
import { formatExactMoney, formatMoney } from './money-format.ts';
import { currency } from './money.ts';

/** Replaces the no-break spaces of some locales by plain ones. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

it.each([
  [2999, 'usd', 'en-US', '$29.99'],
  [2999, 'USD', 'en-US', '$29.99'],
  [2999, 'eur', 'de-DE', '29,99 €'],
  [99_999_999, 'usd', 'en-IN', '$9,99,999.99'],
  [0, 'usd', 'en-US', '$0.00'],
  [-500, 'usd', 'en-US', '-$5.00'],
  [2999, 'jpy', 'en-US', '¥2,999'],
  [2999, 'jpy', 'ja-JP', '￥2,999'],
  [500, 'mga', 'en-US', 'MGA 500'],
  [29_990, 'kwd', 'en-US', 'KWD 29.990'],
  [2990, 'bhd', 'en-US', 'BHD 2.990'],
  [2999, 'all', 'en-US', 'ALL 29.99'],
  [2999, 'huf', 'en-US', 'HUF 29.99'],
  [2999, 'twd', 'en-US', 'NT$29.99'],
  [50_000, 'isk', 'en-US', 'ISK 500'],
  [500_000, 'ugx', 'en-US', 'UGX 5,000'],
  [50_050, 'ugx', 'en-US', 'UGX 500.50'],
  [2999, 'fr', 'en-US', '29.99 fr'],
])('formats %d %s for %s as %s', (amount, code, locale, written) => {
  expect(plain(formatMoney(amount, code, locale))).toBe(written);
});

it.each([
  ['0.25', 'usd', '$0.0025'],
  ['1250', 'usd', '$12.50'],
  ['0.125', 'jpy', '¥0.125'],
  ['0.000000000001', 'usd', '$0.00000000000001'],
  ['833.333333333333333334', 'usd', '$8.33'],
  ['0.5', 'fr', '0.005 fr'],
])('formats %s %s exactly as %s', (amount, code, written) => {
  expect(plain(formatExactMoney(amount, code, 'en-US'))).toBe(written);
});

it('shows every digit of an amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999 }), fc.constantFrom(...PROCESSOR_CURRENCIES), (amount, code) => {
      const digits = formatMoney(amount, code, 'en-US').replaceAll(/\D/g, '');
      const isShort = isWholeCurrency(code) && amount % 10 ** decimalsOf(code) === 0;
      expect(Number(digits) * (isShort ? 10 ** decimalsOf(code) : 1)).toBe(amount);
    }),
  );
});

it('knows each currency of the processor, once', () => {
  expect(PROCESSOR_CURRENCIES.filter(code => !currency.safeParse(code).success)).toEqual([]);
  expect(new Set(PROCESSOR_CURRENCIES).size).toBe(PROCESSOR_CURRENCIES.length);
  const having = (decimals: number) => PROCESSOR_CURRENCIES.filter(code => decimalsOf(code) === decimals).join(' ');
  expect(having(0)).toBe('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf');
  expect(having(3)).toBe('bhd jod kwd omr tnd');
  expect(PROCESSOR_CURRENCIES.filter(code => chargeStepOf(code) === 100)).toEqual(['isk', 'ugx']);
});
