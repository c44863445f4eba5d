import { CustomerId } from '@billing/contracts/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateCode } from './code.ts';
import { earnedCredits } from './credit.ts';

const parties = { referrerCustomerId: CustomerId.create(), refereeCustomerId: CustomerId.create() };

describe('a conversion', () => {
  it('credits each side its amount in the currency of the program', () => {
    const amount = fc.integer({ min: 0, max: 99_999_999 });
    fc.assert(
      fc.property(amount, amount, (referrerCreditAmount, refereeCreditAmount) => {
        const credits = earnedCredits(parties, { referrerCreditAmount, refereeCreditAmount, currency: 'jpy' });
        const amountOf = (side: 'referrer' | 'referee') => credits.find(credit => credit.side === side)?.amount ?? 0;
        expect([amountOf('referrer'), amountOf('referee')]).toEqual([referrerCreditAmount, refereeCreditAmount]);
        expect(credits.every(credit => credit.amount > 0 && credit.currency === 'jpy')).toBe(true);
      }),
    );
  });

  it('credits the referrer and the referee', () => {
    const credits = earnedCredits(parties, { referrerCreditAmount: 1, refereeCreditAmount: 1, currency: 'usd' });
    expect(credits.map(({ side, customerId }) => [side, customerId])).toEqual([
      ['referrer', parties.referrerCustomerId],
      ['referee', parties.refereeCustomerId],
    ]);
  });
});

describe('a code', () => {
  it('has eight letters and digits without look-alikes', () => {
    const codes = Array.from({ length: 1_000 }, generateCode);
    expect(codes.every(code => /^[2-9A-HJ-NP-Z]{8}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(1_000);
  });
});
