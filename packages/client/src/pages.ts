/** One page of a list that is read by cursor alone. */
export interface CursorPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** The `cursor` of the next page; null on the last one. Of events, which go on, it is null only before the first. */
  readonly nextCursor: string | null;
}

/** One page of a list. */
export interface Page<Item> extends CursorPage<Item> {
  /** How many items the whole list has. */
  readonly total: number;
  /** Whether it has no more than `total`; long lists count up to 10,000. */
  readonly totalIsExact: boolean;
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
 * A list, newest first unless its method or `order` says otherwise. Iteration fetches pages as needed: `for await (const customer of billing.customers.list())`;
 * `await Array.fromAsync(list)` fetches all. An item that is created or removed during the iteration makes no other one appear
 * twice, nor be left out.
 */
export class List<Item, Listed extends CursorPage<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #fetchPage: (page: PageOptions) => Promise<Listed>;
  readonly #firstPage: PageOptions;
  readonly #isEndless: boolean;

  constructor(
    firstPage: PageOptions,
    fetchPage: (page: PageOptions) => Promise<Listed>,
    { isEndless = false }: { readonly isEndless?: boolean } = {},
  ) {
    this.#firstPage = firstPage;
    this.#fetchPage = fetchPage;
    this.#isEndless = isEndless;
  }

  /** Fetches one page: the first, or the one at the list's `cursor` or `offset`. */
  page(): Promise<Listed> {
    return this.#fetchPage(this.#firstPage);
  }

  /** Fetches page after page: the `nextCursor` of one that is done with is where a later run goes on. */
  async *pages(): AsyncGenerator<Listed, void, undefined> {
    let page = this.#firstPage;
    for (;;) {
      const listed = await this.#fetchPage(page);
      yield listed;
      if (!listed.hasMore && !this.#isEndless) return;
      const { offset: _skipped, ...rest } = page;
      page = listed.nextCursor === null ? page : { ...rest, cursor: listed.nextCursor };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }
}
