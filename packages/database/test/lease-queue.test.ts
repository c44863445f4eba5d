import { expect, it } from 'vitest';
import { openLeaseQueue } from '../src/lease-queue.ts';

interface Item {
  readonly group: string;
  readonly number: number;
}

const openQueue = () => openLeaseQueue<Item>({ maxAgeMs: 60_000, sizeOf: () => 1, groupOf: ({ group }) => group });
const items = (group: string, count: number): Item[] =>
  Array.from({ length: count }, (_, number) => ({ group, number }));
const numbersOf = (taken: readonly Item[], of: string) =>
  taken.filter(({ group }) => group === of).map(({ number }) => number);

it('takes rows of each group, the oldest first, however many another group has', () => {
  const queue = openQueue();
  queue.add(items('many', 100), performance.now());
  queue.add(items('few', 2), performance.now());
  const taken = queue.take(10);
  expect(numbersOf(taken, 'few')).toEqual([0, 1]);
  expect(numbersOf(taken, 'many')).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(numbersOf(queue.take(1_000), 'many')).toEqual(
    items('many', 100)
      .map(({ number }) => number)
      .slice(8),
  );
});

it('has no room for more while its memory is full', () => {
  const queue = openQueue();
  while (queue.hasRoom()) queue.add(items('many', 100), performance.now());
  queue.take(1_000);
  expect(queue.hasRoom()).toBe(true);
});

it('leaves rows to the table whose lease is about to end', () => {
  const queue = openLeaseQueue<Item>({ maxAgeMs: 60_000, sizeOf: () => 1 });
  queue.add(items('a', 1), performance.now() - 120_000);
  queue.add(items('b', 1), performance.now());
  expect(queue.take(10).map(({ group }) => group)).toEqual(['b']);
});

it('looks into the table for a while after it held rows and at each interval, behind what is at hand', async () => {
  let now = 0;
  const queue = openLeaseQueue<Item>({ maxAgeMs: 60_000, sizeOf: () => 1, now: () => now });
  const reads: number[] = [];
  let held: Item[] = [];
  const lease = () =>
    queue.lease(10, { leaseDue: async left => (reads.push(left), held.splice(0)), intervalMs: 60_000 });
  await lease();
  now += 5_000;
  queue.add(items('a', 4), now);
  await lease();
  expect(reads).toEqual([10]);

  queue.missed();
  queue.add(items('a', 4), now);
  held = items('b', 3);
  expect(await lease()).toHaveLength(4);
  queue.add(items('a', 4), now);
  expect(await lease()).toHaveLength(7);
  queue.add(items('a', 10), now);
  expect(await lease()).toHaveLength(10);
  now += 5_000;
  await lease();
  expect(reads).toEqual([10, 6]);
  now += 60_000;
  queue.add(items('a', 10), now);
  expect(await lease()).toHaveLength(10);
  expect(reads).toEqual([10, 6]);
  await lease();
  expect(reads).toEqual([10, 6, 10]);
});

it('calls its listener for rows that only the table holds', () => {
  const queue = openQueue();
  let calls = 0;
  queue.onAdd(() => (calls += 1));
  queue.missed();
  expect(calls).toBe(1);
});

it('takes no more than a batch may be large, and something of each group', async () => {
  const [large, small] = [2_000_000, 1_000];
  const queue = openLeaseQueue<Item>({
    maxAgeMs: 60_000,
    sizeOf: ({ group }) => (group === 'large' ? large : small),
    groupOf: ({ group }) => group,
  });
  queue.add(items('large', 2), performance.now());
  expect([queue.hasRoom('large'), queue.hasRoom('small')]).toEqual([true, true]);
  queue.add(items('large', 4).slice(2), performance.now());
  expect([queue.hasRoom('large'), queue.hasRoom('small')]).toEqual([false, true]);
  queue.add(items('small', 3), performance.now());
  const lease = () => queue.lease(1_000, { leaseDue: async () => [], intervalMs: 60_000 });
  const first = await lease();
  expect([numbersOf(first, 'small'), numbersOf(first, 'large')]).toEqual([
    [0, 1, 2],
    [0, 1],
  ]);
  expect(numbersOf(queue.take(1_000), 'large')).toEqual([2, 3]);
});
