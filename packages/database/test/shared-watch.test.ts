import { expect, it } from 'vitest';
import { openSharedWatch } from '../src/shared-watch.ts';

/** A watch of numbers by name, which it reads at once while somebody waits. */
function openNumbers() {
  const numbers = new Map<string, number>();
  const reads: (readonly string[])[] = [];
  const watch = openSharedWatch({
    read: async (names: readonly string[]) => {
      reads.push(names);
      return names.map(name => numbers.get(name) ?? 0);
    },
    intervalMs: 5,
  });
  return { numbers, reads, watch };
}

const never = new AbortController().signal;

it('looks for all that wait with one read, until each has what it waits for', async () => {
  const { numbers, reads, watch } = openNumbers();
  const names = Array.from({ length: 100 }, (_, index) => String(index));
  const waiting = names.map(name => watch.until(name, found => found > 0, never));
  for (const name of names.slice(0, 50)) numbers.set(name, 1);
  expect(await Promise.all(waiting.slice(0, 50))).toEqual(names.slice(0, 50).map(() => 1));
  const before = reads.length;
  for (const name of names) numbers.set(name, 2);
  watch.look(name => name === '99');
  expect(await Promise.all(waiting.slice(50))).toEqual(names.slice(50).map(() => 2));
  expect(reads.every(read => new Set(read).size === read.length)).toBe(true);
  expect(reads[before]?.length ?? 0).toBeLessThanOrEqual(50);
});

it('returns what it found last when the wait ends, and reads no more then', async () => {
  const { reads, watch } = openNumbers();
  const end = new AbortController();
  const waiting = watch.until('a', found => found > 0, end.signal);
  await expect.poll(() => reads.length).toBeGreaterThan(1);
  end.abort();
  expect(await waiting).toBe(0);
  expect(await watch.until('a', found => found > 0, end.signal)).toBeUndefined();
  const count = reads.length;
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(reads.length).toBeLessThanOrEqual(count + 1);
});

it('goes on after a read that failed', async () => {
  let reads = 0;
  const watch = openSharedWatch({
    read: async (items: readonly string[]) => {
      reads += 1;
      if (reads < 3) throw new Error('The database is away.');
      return items;
    },
    intervalMs: 1,
  });
  expect(await watch.until('a', () => true, never)).toBe('a');
});
