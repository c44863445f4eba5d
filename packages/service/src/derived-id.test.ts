import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CustomerId } from '@billing/contracts/ids';
import { derivedId } from './derived-id.ts';

it('derives the same valid id from the same key and purpose', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string(), (key, purpose) => {
      const id = derivedId(CustomerId, key, purpose);
      expect(CustomerId.schema.parse(id)).toBe(id);
      expect(id).toHaveLength(CustomerId.create().length);
      expect(derivedId(CustomerId, key, purpose)).toBe(id);
    }),
  );
});

it('derives other ids from other keys and purposes', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      fc.pre(one !== other);
      expect(derivedId(CustomerId, one, 'customer')).not.toBe(derivedId(CustomerId, other, 'customer'));
      expect(derivedId(CustomerId, one, 'customer')).not.toBe(derivedId(CustomerId, one, 'referee'));
    }),
  );
});
