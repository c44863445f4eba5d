import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeMetadata } from './metadata.ts';

const metadata = fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 20 });

test('merges given keys, removes keys with an empty value, and keeps the others', () => {
  fc.assert(
    fc.property(metadata, metadata, (existing, given) => {
      const before = mergeMetadata({}, existing);
      const after = new Map(Object.entries(mergeMetadata(before, given)));
      for (const [key, value] of Object.entries(given)) expect(after.get(key)).toBe(value === '' ? undefined : value);
      const untouched = Object.entries(before).filter(([key]) => !Object.hasOwn(given, key));
      for (const [key, value] of untouched) expect(after.get(key)).toBe(value);
    }),
  );
});

test('removes everything for null and nothing for undefined', () => {
  expect(mergeMetadata({ a: '1' }, null)).toEqual({});
  expect(mergeMetadata({ a: '1' }, undefined)).toEqual({ a: '1' });
});

test('rejects more than 50 keys', () => {
  const keys = Array.from({ length: 30 }, (_, index) => index);
  const some = Object.fromEntries(keys.map(index => [`a${index}`, 'x']));
  const more = Object.fromEntries(keys.map(index => [`b${index}`, 'x']));
  expect(() => mergeMetadata(some, more)).toThrow(/50 keys/);
});
