/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many items the whole list has. */
  readonly total: number;
  readonly hasMore: boolean;
}

export interface PageOptions {
  /** Items per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
  /** How many of the newest items to skip. */
  readonly offset?: number | undefined;
}

/**
 * A list, newest first. Iteration fetches pages as needed: `for await (const customer of billing.customers.list())`;
 * `await Array.fromAsync(list)` fetches all. Offsets count from the newest item, so an item created during the iteration
 * can make an older one appear twice.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetchPage: (page: PageOptions) => Promise<Page<Item>>;
  readonly #firstPage: PageOptions;

  constructor(firstPage: PageOptions, fetchPage: (page: PageOptions) => Promise<Page<Item>>) {
    this.#firstPage = firstPage;
    this.#fetchPage = fetchPage;
  }

  /** Fetches one page: the first, or the one at the list's `offset`. */
  page(): Promise<Page<Item>> {
    return this.#fetchPage(this.#firstPage);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let offset = this.#firstPage.offset ?? 0;
    for (;;) {
      const { items, hasMore } = await this.#fetchPage({ ...this.#firstPage, offset });
      yield* items;
      if (!hasMore || items.length === 0) return;
      offset += items.length;
    }
  }
}
