/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many items the whole list has. */
  readonly total: number;
  /** Whether it has no more than `total`; long lists count up to 10,000. */
  readonly totalIsExact: boolean;
  readonly hasMore: boolean;
  /** The `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

export interface PageOptions {
  /** Items per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
  /** How many items to skip, at most 100,000; a cursor reaches any. */
  readonly offset?: number | undefined;
  /** The `nextCursor` of the page before; then `offset` is not used. */
  readonly cursor?: string | undefined;
}

/**
 * A list, newest first unless `order` says otherwise. Iteration fetches pages as needed: `for await (const customer of billing.customers.list())`;
 * `await Array.fromAsync(list)` fetches all. An item that is created or removed during the iteration makes no other one appear
 * twice, nor be left out.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetchPage: (page: PageOptions) => Promise<Page<Item>>;
  readonly #firstPage: PageOptions;

  constructor(firstPage: PageOptions, fetchPage: (page: PageOptions) => Promise<Page<Item>>) {
    this.#firstPage = firstPage;
    this.#fetchPage = fetchPage;
  }

  /** Fetches one page: the first, or the one at the list's `cursor` or `offset`. */
  page(): Promise<Page<Item>> {
    return this.#fetchPage(this.#firstPage);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let page = this.#firstPage;
    for (;;) {
      const { items, nextCursor } = await this.#fetchPage(page);
      yield* items;
      if (!nextCursor) return;
      const { offset: _skipped, ...rest } = page;
      page = { ...rest, cursor: nextCursor };
    }
  }
}
