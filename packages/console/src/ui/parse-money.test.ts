import { chargeStepOf, PROCESSOR_CURRENCIES } from '@billing/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatMoney } from './money.ts';
import { parseMoney } from './parse-money.ts';
import { withLatinDigits } from './reader-locale.ts';

it.each([
  ['$49', 'usd', 'en', 4_900],
  ['29.99', 'usd', 'en', 2_999],
  [' 29,9 ', 'eur', 'en', 2_990],
  ['.99', 'usd', 'en', 99],
  ['$.99', 'usd', 'en', 99],
  ['1,234.50', 'usd', 'en', 123_450],
  ['1,234.50', 'usd', 'de', 123_450],
  ['1.234,50 €', 'eur', 'de', 123_450],
  ['1.234,50 €', 'eur', 'en', 123_450],
  ['EUR 1234.5', 'eur', 'de', 123_450],
  ['49 US dollars', 'usd', 'en', 4_900],
  ['CA$49', 'cad', 'en', 4_900],
  ['49,– €', 'eur', 'de', 4_900],
  ["1'234.50", 'chf', 'de-CH', 123_450],
  ['CHF 1’234.50', 'chf', 'en', 123_450],
  ['1 234,50 €', 'eur', 'fr', 123_450],
  ['1\u202f234,50\u00a0€', 'eur', 'fr', 123_450],
  ['1\u202f234\u202f567,00', 'jpy', 'fr', undefined],
  ['12,34,567.50', 'inr', 'en-IN', undefined],
  ['9,99,999.50', 'inr', 'en-IN', 99_999_950],
  ['١٬٢٣٤٫٥٠', 'usd', 'ar-EG', 123_450],
  ['١٢٣٤٫٥', 'usd', 'en', 123_450],
  ['۱۲۳۴', 'usd', 'fa', 123_400],
  ['१,२३४.५०', 'inr', 'mr', 123_450],
  ['￥１，２３４', 'jpy', 'ja', 1_234],
  ['¥500', 'jpy', 'en', 500],
  ['1.5', 'kwd', 'en', 1_500],
  ['1.230', 'kwd', 'en', 1_230],
  ['UGX 5,000', 'ugx', 'en', 500_000],
  ['5000', 'isk', 'en', 500_000],
  ['0', 'usd', 'en', 0],
])('reads %j as %s for %s', (text, currency, locale, amount) => {
  expect(parseMoney(text, currency, locale).amount).toBe(amount);
});

it.each([
  ['1.234', 'de', 123_400],
  ['1,234', 'en', 123_400],
  ['1,234', 'pl', undefined],
  ['1.234', 'en', undefined],
  ['1.234', 'fr', undefined],
  ['1234.567', 'de', undefined],
  ['0.123', 'de', undefined],
])('reads %j, which could be either, as they do in %s', (text, locale, amount) => {
  expect(parseMoney(text, 'eur', locale).amount).toBe(amount);
});

it.each([
  ['', 'usd', 'Write an amount, for example $29.99.'],
  ['x', 'jpy', 'Write an amount, for example ¥3,000.'],
  ['1e3', 'usd', 'Write an amount, for example $29.99.'],
  ['1,23,4.00', 'usd', 'Write an amount, for example $29.99.'],
  ['1.234.5', 'usd', 'Write an amount, for example $29.99.'],
  ['-1', 'usd', 'An amount can’t be negative.'],
  ['−$1.00', 'usd', 'An amount can’t be negative.'],
  ['1.999', 'usd', 'US dollars have at most two decimals.'],
  ['500.5', 'jpy', 'Japanese yen have no decimals.'],
  ['5000.50', 'ugx', 'Ugandan shillings have no decimals.'],
  ['1.2345', 'kwd', 'Kuwaiti dinars have at most three decimals.'],
  ['1.234', 'kwd', 'The last decimal of Kuwaiti dinars must be 0.'],
  ['$49', 'eur', 'The currency is EUR: leave out “$”.'],
  ['49 usd', 'eur', 'The currency is EUR: leave out “usd”.'],
  ['1000000', 'usd', 'At most $999,999.99.'],
  ['1000000', 'ugx', 'At most UGX 999,999.'],
])('says what is wrong with %j as %s: %s', (text, currency, problem) => {
  expect(parseMoney(text, currency, 'en').problem?.replaceAll('\u00a0', ' ')).toBe(problem);
});

it('reads what any locale formats, in each currency', () => {
  const locales =
    'en en-IN en-ZA de de-AT de-CH fr fr-CA fr-CH it-CH es es-MX pt-BR pt-PT pt-CV nl da nb sv fi is et lv lt pl cs sk hu ro bg ' +
    'el tr ru uk ka hy az kk he ar ar-EG ar-MA fa ur ps ckb hi mr ne bn ta my th km ja ko zh zh-TW vi id sw am rm gsw';
  const charged = fc.constantFrom(...PROCESSOR_CURRENCIES).chain(currency =>
    fc.tuple(
      fc.constant(currency),
      fc.integer({ min: 0, max: Math.floor(99_999_999 / chargeStepOf(currency)) }).map(n => n * chargeStepOf(currency)),
    ),
  );
  const reader = fc.constantFrom(...locales.split(' ').flatMap(locale => [locale, withLatinDigits(locale)]));
  fc.assert(
    fc.property(charged, reader, ([currency, amount], locale) => {
      expect(parseMoney(formatMoney(amount, currency, locale), currency, locale)).toEqual({ amount });
    }),
    { numRuns: 400 },
  );
});

it('reads or refuses every text', () => {
  const texts = fc.stringMatching(/^[$€ ]{0,2}[\d.,' ٫٬-]{0,12}[a-z€ ]{0,3}$/);
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom('usd', 'jpy', 'kwd', 'ugx'),
      fc.constantFrom('en', 'de', 'fr'),
      (text, currency, locale) => {
        const { amount, problem } = parseMoney(text, currency, locale);
        const isCharged =
          amount !== undefined && amount >= 0 && amount <= 99_999_999 && amount % chargeStepOf(currency) === 0;
        expect(isCharged).toBe(problem === undefined);
      },
    ),
  );
});
