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

it('takes no more of a group than it has room for', () => {
  const queue = openQueue();
  queue.add([...items('a', 5), ...items('b', 5)], performance.now());
  const taken = queue.take(10, group => (group === 'a' ? 1 : 0));
  expect([numbersOf(taken, 'a'), numbersOf(taken, 'b')]).toEqual([[0], []]);
});

it('has room for other groups when one has filled its part', () => {
  const queue = openQueue();
  while (queue.hasRoom('many')) queue.add(items('many', 100), performance.now());
  expect([queue.hasRoom('many'), queue.hasRoom('few')]).toEqual([false, true]);
  queue.take(1_000);
  expect(queue.hasRoom('many')).toBe(true);
});

it('leaves rows to the table whose lease is about to end', () => {
  const queue = openLeaseQueue<Item>({ maxAgeMs: 1_000, sizeOf: () => 1 });
  queue.add(items('a', 1), performance.now() - 2_000);
  queue.add(items('b', 1), performance.now());
  expect(queue.take(10).map(({ group }) => group)).toEqual(['b']);
});

it('counts heavy rows as many, and takes at least one of them', () => {
  const weigh = ({ number }: Item) => (number === 0 ? 50 : 1);
  const queue = openLeaseQueue<Item>({ maxAgeMs: 60_000, sizeOf: () => 1, groupOf: ({ group }) => group, weigh });
  queue.add([...items('heavy', 10), ...items('light', 8).slice(1)], performance.now());
  const taken = queue.take(20);
  expect([numbersOf(taken, 'light').length, numbersOf(taken, 'heavy')]).toEqual([7, [0]]);
  expect(queue.take(20)).toHaveLength(9);
});

it('makes one of waiting rows that may become one, and leaves those alone that are taken', () => {
  interface Sum {
    readonly of: string;
    readonly numbers: readonly number[];
  }
  const queue = openLeaseQueue<Sum>({
    maxAgeMs: 60_000,
    sizeOf: ({ numbers }) => numbers.length,
    merging: {
      keyOf: ({ of }) => (of === 'alone' ? null : of),
      merge: (waiting, added) =>
        added.numbers.includes(0) ? null : { of: added.of, numbers: [...waiting.numbers, ...added.numbers] },
    },
  });
  const add = (of: string, ...numbers: number[]) => {
    for (const number of numbers) queue.add([{ of, numbers: [number] }], performance.now());
  };
  add('a', 1);
  add('alone', 1, 2);
  add('a', 2, 0, 3);
  expect(queue.take(3)).toEqual([
    { of: 'a', numbers: [1, 2] },
    { of: 'alone', numbers: [1] },
    { of: 'alone', numbers: [2] },
  ]);
  add('a', 4);
  expect(queue.take(10)).toEqual([{ of: 'a', numbers: [0, 3, 4] }]);
  add('a', 5);
  expect(queue.take(10)).toEqual([{ of: 'a', numbers: [5] }]);
});

it('leaves the table alone for a while after it had nothing', async () => {
  const queue = openQueue();
  let reads = 0;
  const leaseDue = async () => ((reads += 1), []);
  const lease = () => queue.lease(10, { leaseDue, intervalMs: 60_000, pauseMs: 30_000, isLimited: () => true });
  await lease();
  await lease();
  expect(reads).toBe(1);
});
