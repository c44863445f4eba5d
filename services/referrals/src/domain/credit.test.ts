import { CustomerId } from '@billing/contracts/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateCode } from './code.ts';
import { earnedCredits, nextStep, retryDelayMs } from './credit.ts';

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

describe('a credit', () => {
  it('is retried after a delay that doubles up to 15 minutes', () => {
    expect([1, 2, 3, 4, 10, 11, 1_000].map(retryDelayMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 512_000, 900_000, 900_000,
    ]);
  });

  it('is sent with one key for 23 hours; then the key is closed and the credit verified', () => {
    const sentAt = new Date('2026-01-01T00:00:00Z');
    const closedAt = new Date('2026-01-01T23:00:00Z');
    const step = (key: { sentAt: Date | null; closedAt: Date | null }, now: string) => nextStep(key, new Date(now));
    expect(step({ sentAt: null, closedAt: null }, '2026-02-01T00:00:00Z')).toBe('send');
    expect(step({ sentAt, closedAt: null }, '2026-01-01T22:59:59.999Z')).toBe('send');
    expect(step({ sentAt, closedAt: null }, '2026-01-01T23:00:00Z')).toBe('close');
    expect(step({ sentAt, closedAt }, '2026-01-01T23:00:00Z')).toBe('verify');
  });
});

describe('a code', () => {
  it('has eight letters and digits without look-alikes', () => {
    const codes = Array.from({ length: 1_000 }, generateCode);
    expect(codes.every(code => /^[2-9A-HJ-NP-Z]{8}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(1_000);
  });
});
