import { expect, test } from 'vitest';
import { previousAttributes } from './previous-attributes.ts';

test('names the earlier values of what changed, key by key inside an object', () => {
  const before = { name: 'a', metadata: { kept: '1', changed: '2', gone: '3' }, list: [1, 2] };
  const after = { name: 'a', metadata: { kept: '1', changed: '4', fresh: '5' }, list: [1, 3] };
  expect(previousAttributes(before, after)).toEqual({
    metadata: { changed: '2', gone: '3', fresh: null },
    list: [1, 2],
  });
});

test('is nothing when nothing changed', () => {
  expect(previousAttributes({ a: { b: 1 } }, { a: { b: 1 } })).toBeUndefined();
});
