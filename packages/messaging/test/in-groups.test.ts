import { expect, it } from 'vitest';
import { inGroups } from '../src/in-groups.ts';
import { TookTooLong } from '../src/with-timeout.ts';

it('runs together what arrives while a run is under way, each item once, with its own result', async () => {
  const groups: number[][] = [];
  const double = inGroups(async (items: readonly number[]) => {
    groups.push([...items]);
    await new Promise(resolve => setImmediate(resolve));
    return items.map(item => item * 2);
  });
  const items = Array.from({ length: 2_500 }, (_, index) => index);
  expect(await Promise.all(items.map(double))).toEqual(items.map(item => item * 2));
  expect(groups.flat()).toEqual(items);
  expect(groups.map(group => group.length)).toEqual([2_048, 452]);
  expect(await double(7)).toBe(14);
});

it('makes a group no heavier than it may be, unless one item alone is', async () => {
  const groups: number[][] = [];
  const run = inGroups(
    async (items: readonly number[]) => {
      groups.push([...items]);
      return items;
    },
    { weigh: item => item },
  );
  await Promise.all([5_000, 4_000, 96, 1, 4_096, 4_095, 2].map(run));
  expect(groups).toEqual([[5_000], [4_000, 96], [1], [4_096], [4_095], [2]]);
});

it('runs as many groups at the same time as it may, and no more', async () => {
  let running = 0;
  const seen: number[] = [];
  const run = inGroups(
    async (items: readonly string[]) => {
      running += 1;
      seen.push(running);
      await new Promise(resolve => setTimeout(resolve, 20));
      running -= 1;
      return items;
    },
    { atOnce: 3 },
  );
  const turns = Array.from({ length: 8 }, async (_, index) => {
    for (let turn = 0; turn < index; turn += 1) await new Promise(resolve => setImmediate(resolve));
    return run(`${index}`);
  });
  expect(await Promise.all(turns)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(Math.max(...seen)).toBe(3);
});

it('halves a group that fails, so that one bad item fails alone', async () => {
  const runs: number[][] = [];
  const run = inGroups(async (items: readonly number[]) => {
    runs.push([...items]);
    if (items.includes(3)) throw new Error('bad item');
    return items.map(() => 'done');
  });
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(run));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(runs).toEqual([[1, 2, 3, 4, 5], [1, 2], [3, 4, 5], [3], [4, 5]]);
});

it('finds the item at which a group hangs with few runs more, and lets nobody else wait for it', async () => {
  const runs: number[][] = [];
  const run = inGroups(async (items: readonly number[]) => {
    runs.push([...items]);
    if (items.includes(13)) throw new TookTooLong('It hangs.');
    return items.map(() => 'done');
  });
  const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => run(index)));
  expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([13]);
  expect(runs.filter(items => items.includes(13)).map(items => items.length)).toEqual([100, 10, 3, 1]);
  expect(runs.length).toBeLessThan(20);
});

it('does not insist while the database is away', async () => {
  let runs = 0;
  const run = inGroups(async (): Promise<string[]> => {
    runs += 1;
    throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  });
  const results = await Promise.allSettled([1, 2, 3].map(run));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(runs).toBe(1);
});
