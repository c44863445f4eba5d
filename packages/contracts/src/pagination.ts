import { z } from 'zod';
import { integerText } from './text.ts';

const MAX_LIMIT = 100;
const MAX_WHOLE_LIST = 1_000;

/** `limit` (1 to 100; larger values count as 100) and `offset` of a list. */
export const pageQuery = {
  limit: z
    .codec(z.string().regex(/^\d{1,16}$/, 'Expected a whole number of at least 1.'), z.int().min(1).max(MAX_LIMIT), {
      decode: digits => Math.min(Number(digits), MAX_LIMIT),
      encode: String,
    })
    .default(50)
    .describe('Maximum number of items to return; values above 100 count as 100.'),
  offset: integerText(0, 2_147_483_647).default(0).describe('Number of items to skip.'),
};

/** The same of a list that the specification has without pages: without `limit` it returns up to 1,000. */
export const wholeListQuery = {
  ...pageQuery,
  limit: pageQuery.limit
    .unwrap()
    .default(MAX_WHOLE_LIST)
    .describe('Maximum number of items to return: 1,000 by default; values above 100 count as 100.'),
};

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export const pagination = z
  .object({
    limit: z.int().describe('The page size, at most 100.'),
    offset: z.int().describe('The number of items before this page.'),
    total: z.int().describe('The number of items in the whole list.'),
    hasMore: z.boolean().describe('Whether there are more items after this page.'),
  })
  .meta({
    id: 'Pagination',
    description: 'The position of a page in the whole list.',
    example: { limit: 50, offset: 0, total: 1 },
  });
export type Pagination = z.output<typeof pagination>;

/** Returns the pagination of a page that has `count` of `total` rows. */
export function paginate({ limit, offset }: Page, count: number, total: number): Pagination {
  return { limit, offset, total, hasMore: offset + count < total };
}
