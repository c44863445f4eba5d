import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecret, hashSecret, isWellFormed, secretKeyFrom, secretOfOperation } from './api-key-secret.ts';

describe('an API key secret', () => {
  it.each(['test', 'live'] as const)('of %s mode has the documented shape', mode => {
    const secret = createSecret(mode);
    expect(secret).toMatch(new RegExp(`^bil_${mode}_[0-9A-Za-z]{38}$`));
    expect(isWellFormed(secret)).toBe(true);
    expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is never made twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => createSecret('test'))).size).toBe(1_000);
  });

  it('of an operation is the same each time, and another one for another operation or key', () => {
    const secretKey = secretKeyFrom('a'.repeat(32));
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        fc.pre(one !== other);
        const secret = secretOfOperation('test', secretKey, one);
        expect(isWellFormed(secret)).toBe(true);
        expect(secretOfOperation('test', secretKey, one)).toBe(secret);
        expect(secretOfOperation('test', secretKey, other)).not.toBe(secret);
        expect(secretOfOperation('test', secretKeyFrom('b'.repeat(32)), one)).not.toBe(secret);
      }),
    );
  });

  it('with one character changed is told apart by its checksum', () => {
    const base62 = fc.stringMatching(/^[0-9A-Za-z]$/);
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 46 }), base62, (at, character) => {
        const secret = createSecret('test');
        fc.pre(secret[at] !== character);
        expect(isWellFormed(secret.slice(0, at) + character + secret.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'bil_test_', 'sk_test_abc', `bil_prod_${'a'.repeat(38)}`, `${createSecret('test')}\n`])(
    'is not %j',
    text => {
      expect(isWellFormed(text)).toBe(false);
    },
  );
});
