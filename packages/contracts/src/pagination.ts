import { z } from 'zod';
import { cursorText, type Cursor } from './cursor.ts';
import { integerText } from './text.ts';
import { givenTime } from './timestamp.ts';

const MAX_LIMIT = 100;
const MAX_WHOLE_LIST = 1_000;
const MAX_OFFSET = 100_000;
/** How far the items of a list are counted. */
export const MAX_COUNTED = 10_000;

const offsetUpTo = (max: number) =>
  integerText(0, max, `Expected at most ${max}; beyond that pass \`cursor\`.`)
    .default(0)
    .describe(`Number of items to skip, at most ${max.toLocaleString('en')}; \`cursor\` reaches any.`);

/** `limit` (1 to 100; larger values count as 100), and `cursor` or `offset` of a list. */
export const pageQuery = {
  limit: z
    .codec(z.string().regex(/^\d{1,16}$/, 'Expected a whole number of at least 1.'), z.int().min(1).max(MAX_LIMIT), {
      decode: digits => Math.min(Number(digits), MAX_LIMIT),
      encode: String,
    })
    .default(50)
    .describe('Maximum number of items to return; values above 100 count as 100.'),
  offset: offsetUpTo(MAX_OFFSET),
  cursor: cursorText
    .optional()
    .describe(
      '`pagination.nextCursor` of the page before; then `offset` is not used. Items that are added or removed meanwhile shift no page.',
    ),
};

/** The same of a list that may hold millions. */
export const longListQuery = { ...pageQuery, offset: offsetUpTo(MAX_COUNTED) };

/** The same of a list that the specification has without pages: without `limit` it returns up to 1,000. */
export const wholeListQuery = {
  ...pageQuery,
  limit: pageQuery.limit
    .unwrap()
    .default(MAX_WHOLE_LIST)
    .describe('Maximum number of items to return: 1,000 by default; values above 100 count as 100.'),
};

export type ListOrder = 'newest' | 'oldest';

/** Which part of a list is wanted by the time at which its items were created, and in which order. */
export const createdQuery = {
  createdAfter: givenTime.optional().describe('Only what was created at this time or later.'),
  createdBefore: givenTime.optional().describe('Only what was created before this time.'),
  order: z
    .enum(['newest', 'oldest'] satisfies ListOrder[])
    .default('newest')
    .describe('Which comes first, by `createdAt`; a cursor belongs to one order.'),
};

/** When the wanted items of a list were created: from one time until before the other. */
export interface CreatedRange {
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

/** Which items of a list are wanted: those after the cursor, or without one those after `offset` items. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: Cursor | undefined;
  /** Newest first unless given. */
  readonly order?: ListOrder | undefined;
}

export const pagination = z
  .object({
    limit: z.int().describe('The page size, at most 100.'),
    offset: z.int().describe('The number of items before this page.'),
    total: z.int().describe('The number of items in the whole list; at most 10,000 are counted.'),
    totalIsExact: z.boolean().describe('Whether the list has no more items than `total`.'),
    hasMore: z.boolean().describe('Whether there are more items after this page.'),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page.'),
  })
  .meta({
    id: 'Pagination',
    description: 'The position of a page in the whole list.',
    example: { limit: 50, offset: 0, total: 1, totalIsExact: true, hasMore: false, nextCursor: null },
  });
export type Pagination = z.output<typeof pagination>;

/** Returns how many rows a list skips; after a cursor none. */
export const skipped = ({ offset, cursor }: Page): number => (cursor ? 0 : offset);

/**
 * Returns how many items a list has whose end is on a page; undefined if they must be counted. `found` is one more than
 * `limit` if there are more.
 */
export function totalShown({ limit, offset, cursor }: Page, found: readonly unknown[]): number | undefined {
  const isEnd = !cursor && found.length <= limit && (found.length > 0 || offset === 0);
  return isEnd ? offset + found.length : undefined;
}

/**
 * Returns a page of the items that were found, which are one more than `limit` if there are more, and its pagination.
 * `total` may be any number above `maxCounted` if more were not counted. One that was counted at another moment is set
 * right by the items: whoever waits for a first item must not read that there is one before it is shown.
 */
export function toPage<Item>(
  page: Page,
  found: readonly Item[],
  total: number,
  placeOf: (item: Item) => Omit<Cursor, 'offset'>,
  maxCounted = Infinity,
): [items: Item[], pagination: Pagination] {
  const { limit, cursor } = page;
  const offset = cursor?.offset ?? page.offset;
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  // A cursor that someone has made up may say any number.
  const seen = Math.min(offset + items.length, Number.MAX_SAFE_INTEGER);
  const nextCursor = hasMore && last ? z.encode(cursorText, { ...placeOf(last), offset: seen }) : null;
  const skips = cursor || found.length === 0 ? 0 : offset;
  const all = totalShown(page, found) ?? Math.max(total, skips + found.length);
  const counted = { total: Math.min(all, maxCounted), totalIsExact: all <= maxCounted };
  return [items, { limit, offset, ...counted, hasMore, nextCursor }];
}
