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
  const queue = openLeaseQueue<Item>({ maxAgeMs: 1_000, sizeOf: () => 1 });
  queue.add(items('a', 1), performance.now() - 2_000);
  queue.add(items('b', 1), performance.now());
  expect(queue.take(10).map(({ group }) => group)).toEqual(['b']);
});

it('looks into the table after rows were missed there, and again at each interval', async () => {
  const queue = openQueue();
  const reads: number[] = [];
  let held: Item[] = [];
  const lease = (limit: number, intervalMs: number) =>
    queue.lease(limit, { leaseDue: async left => (reads.push(left), held.splice(0)), intervalMs });
  await lease(10, 0);
  queue.missed();
  queue.add(items('a', 4), performance.now());
  held = items('b', 3);
  expect(await lease(10, 60_000)).toHaveLength(7);
  queue.add(items('a', 10), performance.now());
  expect(await lease(10, 60_000)).toHaveLength(10);
  expect(reads).toEqual([10, 6]);
});
