import type { CursorPage, List } from '@billing/client';

/** Pages without any item that are passed over, before the reader is asked whether to go on. */
const MAX_PASSED = 10;

/** Returns the first page of a list that has items; a filter that matches little leaves pages empty. */
export async function firstFilled<Item>(list: Pick<List<Item, CursorPage<Item>>, 'pages'>): Promise<CursorPage<Item>> {
  let passed = 0;
  for await (const page of list.pages()) {
    if (page.items.length > 0 || !page.hasMore || passed >= MAX_PASSED) return page;
    passed += 1;
  }
  return { items: [], hasMore: false, nextCursor: null };
}
