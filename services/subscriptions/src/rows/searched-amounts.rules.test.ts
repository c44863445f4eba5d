import { PROCESSOR_CURRENCIES } from '@billing/contracts/currency-decimals';
import { formatMoney } from '@billing/contracts/money-format';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { searchedAmounts } from './searched-amounts.rules.ts';

const foundIn = (text: string, currency: string) =>
  searchedAmounts(text).find(({ currencies }) => currencies.includes(currency))?.amount;

it.each([
  ['12.50', 1_250],
  ['$12.50', 1_250],
  ['12,5 €', 1_250],
  ['1,250', 125_000],
  ['1 250,00', 125_000],
  ['12.505', undefined],
])('reads %s as %s cents', (text, amount) => {
  expect(foundIn(text, 'usd')).toBe(amount);
});

it('reads an amount as it is shown in any currency', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PROCESSOR_CURRENCIES), fc.nat({ max: 99_999_999 }), (currency, amount) => {
      const shown = formatMoney(amount, currency, 'en').replace(/^[^\d]+/, '');
      expect(foundIn(shown, currency)).toBe(amount);
    }),
  );
});

it('invents no digit, whatever the text is', () => {
  const unit = fc.constantFrom(..."0123456789.,’'$€ -+e%_\\Ⅷ٣".split(''));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 24 }), text => {
      const digits = Number(text.replaceAll(/\D/g, ''));
      for (const { amount } of searchedAmounts(text))
        expect([1, 10, 100, 1_000].map(scale => digits * scale)).toContain(amount);
    }),
  );
});
