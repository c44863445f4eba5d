import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withRawJson } from './raw-json.ts';

it('writes the same as JSON.stringify', () => {
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue());
  const members = fc.dictionary(fc.constantFrom('x', 'y'), fc.jsonValue());
  fc.assert(
    fc.property(fields, members, (some, others) => {
      const raw = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, JSON.stringify(value)]));
      expect(withRawJson(some, raw)).toBe(JSON.stringify({ ...some, ...others }));
    }),
  );
});
