import { CustomerId } from '@billing/contracts/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCode } from './code.ts';
import { creditsEarned, nextStep, retryDelayMs } from './credit.ts';

const parties = { referrerCustomerId: CustomerId.create(), refereeCustomerId: CustomerId.create() };

describe('a conversion', () => {
  it('earns each side its amount in the currency of the program, and a side without an amount nothing', () => {
    const amount = fc.integer({ min: 0, max: 99_999_999 });
    fc.assert(
      fc.property(amount, amount, (referrerCreditAmount, refereeCreditAmount) => {
        const credits = creditsEarned(parties, { referrerCreditAmount, refereeCreditAmount, currency: 'jpy' });
        const earned = (side: 'referrer' | 'referee') => credits.find(credit => credit.side === side)?.amount ?? 0;
        expect([earned('referrer'), earned('referee')]).toEqual([referrerCreditAmount, refereeCreditAmount]);
        expect(credits.every(credit => credit.amount > 0 && credit.currency === 'jpy')).toBe(true);
      }),
    );
  });

  it('earns the right customer', () => {
    const credits = creditsEarned(parties, { referrerCreditAmount: 1, refereeCreditAmount: 1, currency: 'usd' });
    expect(credits.map(({ side, customerId }) => [side, customerId])).toEqual([
      ['referrer', parties.referrerCustomerId],
      ['referee', parties.refereeCustomerId],
    ]);
  });
});

describe('a credit', () => {
  it('is tried again after a time that doubles, up to a quarter of an hour', () => {
    expect([1, 2, 3, 4, 10, 11, 1_000].map(retryDelayMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 512_000, 900_000, 900_000,
    ]);
  });

  it('is sent under one key for less than a day; then the key is closed, and the processor is asked', () => {
    const sentAt = new Date('2026-01-01T00:00:00Z');
    const closedAt = new Date('2026-01-01T23:00:00Z');
    const step = (key: { sentAt: Date | null; closedAt: Date | null }, now: string) => nextStep(key, new Date(now));
    expect(step({ sentAt: null, closedAt: null }, '2026-02-01T00:00:00Z')).toBe('send');
    expect(step({ sentAt, closedAt: null }, '2026-01-01T22:59:59.999Z')).toBe('send');
    expect(step({ sentAt, closedAt: null }, '2026-01-01T23:00:00Z')).toBe('close');
    expect(step({ sentAt, closedAt }, '2026-01-01T23:00:00Z')).toBe('look');
  });
});

describe('a code', () => {
  it('is eight letters and digits, none of which is taken for another', () => {
    const codes = Array.from({ length: 1_000 }, createCode);
    expect(codes.every(code => /^[2-9A-HJ-NP-Z]{8}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(1_000);
  });
});
