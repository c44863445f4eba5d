import { expect, it } from 'vitest';
import { Table } from './table.ts';

const nowhere = { written: () => {}, removed: () => {} };
const ids = (rows: Iterable<{ id: string }>) => [...rows].map(({ id }) => id);

function filled(...added: string[]): Table<{ id: string; version?: number }> {
  const table = new Table<{ id: string; version?: number }>('rows', nowhere);
  for (const id of added) table.put({ id });
  return table;
}

it('returns what is older than a row, also after changes and removals', () => {
  const table = filled('a', 'b', 'c', 'd');
  table.put({ id: 'b', version: 2 });
  table.remove('c');
  expect([...table.olderThan('d')]).toEqual([{ id: 'b', version: 2 }, { id: 'a' }]);
  expect(ids(table.olderThan())).toEqual(['d', 'b', 'a']);
  table.put({ id: 'c' });
  expect(ids(table.olderThan())).toEqual(['c', 'd', 'b', 'a']);
  expect(ids(table.olderThan('unknown'))).toEqual([]);
});

it('forgets the places of many removed rows', () => {
  const table = filled(...Array.from({ length: 5_000 }, (_, index) => `${index}`));
  table.trim(10);
  expect(ids(table.olderThan())).toEqual(ids(table.newestFirst()));
  table.load(9_000, { id: 'later' });
  expect(ids(table.olderThan()).slice(0, 2)).toEqual(['later', '4999']);
});
