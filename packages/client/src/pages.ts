/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Of the whole list. */
  readonly total: number;
  readonly hasMore: boolean;
}

export interface PageOptions {
  /** Items of one page, 1 to 100; 50 unless told. */
  readonly limit?: number | undefined;
  /** How many items to leave out, the newest first. */
  readonly offset?: number | undefined;
}

/**
 * A list, newest first, that is read page by page as far as it is walked:
 * `for await (const customer of billing.customers.list())`. `await Array.fromAsync(list)` reads all of it.
 * Pages are counted from the newest item: one that is made during the walk may show an earlier one twice.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (page: PageOptions) => Promise<Page<Item>>;
  readonly #start: PageOptions;

  constructor(start: PageOptions, read: (page: PageOptions) => Promise<Page<Item>>) {
    this.#start = start;
    this.#read = read;
  }

  /** The first page, or the one at the query's offset. */
  page(): Promise<Page<Item>> {
    return this.#read(this.#start);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    let offset = this.#start.offset ?? 0;
    for (;;) {
      const { items, hasMore } = await this.#read({ ...this.#start, offset });
      yield* items;
      if (!hasMore || items.length === 0) return;
      offset += items.length;
    }
  }
}
