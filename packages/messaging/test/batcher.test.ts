import { expect, it } from 'vitest';
import { openBatcher } from '../src/batcher.ts';
import { TimeoutError } from '../src/timed-transaction.ts';

it('runs what arrives during a batch as the next batch, each item with its own result', async () => {
  const batches: number[][] = [];
  const double = openBatcher(async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise(resolve => setImmediate(resolve));
    return items.map(item => item * 2);
  });
  const items = Array.from({ length: 2_500 }, (_, index) => index);
  expect(await Promise.all(items.map(double))).toEqual(items.map(item => item * 2));
  expect(batches.flat()).toEqual(items);
  expect(batches.map(batch => batch.length)).toEqual([2_048, 452]);
  expect(await double(7)).toBe(14);
});

it('limits the weight of a batch, unless one item alone is heavier', async () => {
  const batches: number[][] = [];
  const run = openBatcher(
    async (items: readonly number[]) => {
      batches.push([...items]);
      return items;
    },
    { weigh: item => item },
  );
  await Promise.all([5_000, 4_000, 96, 1, 4_096, 4_095, 2].map(run));
  expect(batches).toEqual([[5_000], [4_000, 96], [1], [4_096], [4_095], [2]]);
});

it('does not wait for more where what waits fills the next batch', async () => {
  const linger = { times: Infinity, longestMs: 200 };
  const run = openBatcher(async (items: readonly number[]) => items, { weigh: () => 100, maxWeight: 200, linger });
  const items = Array.from({ length: 400 }, (_, index) => index);
  // 200 batches: with a pause after each, the test would time out.
  expect(await Promise.all(items.map(run))).toEqual(items);
});

it('takes the limits that it is given', async () => {
  const batches: number[][] = [];
  const run = openBatcher(
    async (items: readonly number[]) => {
      batches.push([...items]);
      return items;
    },
    { weigh: item => item, maxItems: 3, maxWeight: 10 },
  );
  await Promise.all([1, 2, 3, 4, 5, 6, 11].map(run));
  expect(batches).toEqual([[1, 2, 3], [4, 5], [6], [11]]);
});

/** Waits for so many turns of the event loop. */
async function turnsOf(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(resolve => setImmediate(resolve));
}

it('limits how many batches run at the same time', async () => {
  let running = 0;
  const seen: number[] = [];
  const full = Promise.withResolvers<void>();
  const run = openBatcher(
    async (items: readonly string[]) => {
      running += 1;
      seen.push(running);
      if (running === 3) full.resolve();
      await full.promise;
      await turnsOf(8);
      running -= 1;
      return items;
    },
    { parallel: 3 },
  );
  const turns = Array.from({ length: 8 }, async (_, index) => {
    await turnsOf(index);
    return run(`${index}`);
  });
  expect(await Promise.all(turns)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(Math.max(...seen)).toBe(3);
});

it('halves a batch that fails, so that a bad item fails alone', async () => {
  const runs: number[][] = [];
  const run = openBatcher(async (items: readonly number[]) => {
    runs.push([...items]);
    if (items.includes(3)) throw new Error('bad item');
    return items.map(() => 'done');
  });
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(run));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(runs).toEqual([[1, 2, 3, 4, 5], [1, 2], [3, 4, 5], [3], [4, 5]]);
});

it('finds the stuck item of a batch with few more runs', async () => {
  const runs: number[][] = [];
  const run = openBatcher(async (items: readonly number[]) => {
    runs.push([...items]);
    if (items.includes(13)) throw new TimeoutError('It is stuck.');
    return items.map(() => 'done');
  });
  const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => run(index)));
  expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([13]);
  expect(runs.filter(items => items.includes(13)).map(items => items.length)).toEqual([100, 10, 3, 1]);
  expect(runs.length).toBeLessThan(20);
});

it('does not divide a batch while the database is unavailable', async () => {
  let runs = 0;
  const run = openBatcher(async (): Promise<string[]> => {
    runs += 1;
    throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  });
  const results = await Promise.allSettled([1, 2, 3].map(run));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(runs).toBe(1);
});
