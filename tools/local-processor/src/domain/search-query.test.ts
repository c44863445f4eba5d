import { expect, test } from 'vitest';
import { matchesSearch, parseSearchQuery } from './search-query.ts';

test('parses conditions on fields and metadata', () => {
  expect(parseSearchQuery(`metadata['a b']:'1' AND email:"ada@example.com" AND name:'O\\'Neil AND sons'`)).toEqual([
    { field: 'metadata', key: 'a b', value: '1' },
    { field: 'email', key: null, value: 'ada@example.com' },
    { field: 'name', key: null, value: "O'Neil AND sons" },
  ]);
});

test.each([
  '',
  'email',
  'email:ada',
  "email:'a' name:'b'",
  "email:'a' OR name:'b'",
  "email~'a'",
  "email:'a' AND ",
  'x AND',
])('rejects %j', query => {
  expect(parseSearchQuery(query)).toBeNull();
});

test('compares without regard to case, and finds nothing in absent values', () => {
  const row = { email: 'Ada@Example.com', active: true, name: null, metadata: { a: 'X' } };
  const matches = (query: string) => matchesSearch(row, parseSearchQuery(query) ?? []);
  expect(matches("email:'ada@example.com' AND metadata['a']:'x' AND active:'true'")).toBe(true);
  for (const query of ["name:'null'", "metadata['b']:'undefined'", "metadata['a']:'y'", "metadata:'x'"])
    expect(matches(query)).toBe(false);
});
