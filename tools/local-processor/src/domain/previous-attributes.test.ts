import { expect, test } from 'vitest';
import { previousAttributes } from './previous-attributes.ts';

test('returns the previous values of changed keys, also in nested objects', () => {
  const before = { name: 'a', metadata: { same: '1', changed: '2', gone: '3' }, list: [1, 2] };
  const after = { name: 'a', metadata: { same: '1', changed: '4', fresh: '5' }, list: [1, 3] };
  expect(previousAttributes(before, after)).toEqual({
    metadata: { changed: '2', gone: '3', fresh: null },
    list: [1, 2],
  });
});

test('returns undefined when nothing changed', () => {
  expect(previousAttributes({ a: { b: 1 } }, { a: { b: 1 } })).toBeUndefined();
});
