import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivationKeyFrom, derivedSecret, hashSecret, isWellFormed, randomSecret } from './api-key-secret.ts';

describe('an API key secret', () => {
  it.each(['test', 'live'] as const)('of %s mode has the documented shape', mode => {
    const secret = randomSecret(mode);
    expect(secret).toMatch(new RegExp(`^bil_${mode}_[0-9A-Za-z]{38}$`));
    expect(isWellFormed(secret)).toBe(true);
    expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is unique', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => randomSecret('test'))).size).toBe(1_000);
  });

  it('of an operation depends on the operation and the derivation key only', () => {
    const derivationKey = derivationKeyFrom('a'.repeat(32), 'api-key-secrets');
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        fc.pre(one !== other);
        const secret = derivedSecret('test', derivationKey, one);
        expect(isWellFormed(secret)).toBe(true);
        expect(derivedSecret('test', derivationKey, one)).toBe(secret);
        expect(derivedSecret('test', derivationKey, other)).not.toBe(secret);
        expect(derivedSecret('test', derivationKeyFrom('b'.repeat(32), 'api-key-secrets'), one)).not.toBe(secret);
      }),
    );
  });

  it('with one changed character fails its checksum', () => {
    const base62 = fc.stringMatching(/^[0-9A-Za-z]$/);
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 46 }), base62, (at, character) => {
        const secret = randomSecret('test');
        fc.pre(secret[at] !== character);
        expect(isWellFormed(secret.slice(0, at) + character + secret.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'bil_test_', 'sk_test_abc', `bil_prod_${'a'.repeat(38)}`, `${randomSecret('test')}\n`])(
    'is not %j',
    text => {
      expect(isWellFormed(text)).toBe(false);
    },
  );
});
