import { expect, it } from 'vitest';
import { firstFilled } from './first-filled.ts';

/** A list whose pages have so many items each, and which counts those that were fetched. */
function listOf(sizes: readonly number[]) {
  const fetched: number[] = [];
  return {
    fetched,
    async *pages() {
      for (const [at, size] of sizes.entries()) {
        fetched.push(at);
        const hasMore = at < sizes.length - 1;
        yield { items: Array.from({ length: size }, () => at), hasMore, nextCursor: hasMore ? String(at) : null };
      }
    },
  };
}

it('passes over empty pages, and fetches none behind the first with items', async () => {
  const list = listOf([0, 0, 2, 1]);
  expect(await firstFilled(list)).toEqual({ items: [2, 2], hasMore: true, nextCursor: '2' });
  expect(list.fetched).toEqual([0, 1, 2]);
});

it('ends with an empty page when there is nothing, or nothing for long', async () => {
  expect(await firstFilled(listOf([0, 0]))).toEqual({ items: [], hasMore: false, nextCursor: null });
  const long = listOf(Array.from({ length: 50 }, () => 0));
  expect(await firstFilled(long)).toMatchObject({ items: [], hasMore: true, nextCursor: '10' });
  expect(long.fetched).toHaveLength(11);
});
