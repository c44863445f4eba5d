import type { CallOptions } from './options.ts';
import { List, type CursorPage, type Page, type PageOptions } from './pages.ts';
import type { Request, Send } from './transport.ts';

/** The items of a list's page under its name, and what else the response says of them. */
type ListBody = Readonly<Record<string, unknown>> & { readonly pagination: Omit<Page<unknown>, 'items'> };

interface ListedByCursor {
  readonly [name: string]: unknown;
  readonly nextCursor: string | null;
  /** Absent where `nextCursor` says it. */
  readonly hasMore?: boolean;
}

/** The requests that the methods make; paths are relative to the transport's. */
export class Requests {
  /** Sends a request and returns the response with its tag. */
  readonly sendTagged: Send;

  constructor(sendTagged: Send) {
    this.sendTagged = sendTagged;
  }

  /** Sends a request and returns the response's body; undefined when `isDone` held. */
  async send<Body>(request: Request): Promise<Body> {
    return (await this.sendTagged<Body>(request)).body;
  }

  /** Succeeds too when a retry finds the object gone. */
  async delete(path: string, options?: CallOptions): Promise<void> {
    await this.send({ method: 'DELETE', path, options, isDone: ({ status }) => status === 404 });
  }

  /** A list; what its responses say beside of items and pagination is part of each page. */
  list<Item, Listed extends Page<Item> = Page<Item>>(
    path: string,
    name: string,
    query: PageOptions = {},
    options?: CallOptions,
  ): List<Item, Listed> {
    return new List(query, async page => {
      const body = await this.send<ListBody>({ method: 'GET', path, query: page, options });
      const { pagination, [name]: items, ...rest } = body;
      const { total, totalIsExact, hasMore, nextCursor } = pagination;
      // The service validates its responses against this type.
      return { ...rest, items: items ?? [], total, totalIsExact, hasMore, nextCursor } as unknown as Listed;
    });
  }

  /** A list that is read by cursor alone. With `waitMs` it has no end, and each request waits so long for what is new. */
  listByCursor<Item>(
    path: string,
    name: string,
    query: PageOptions & { readonly waitMs?: number } = {},
    options?: CallOptions,
  ): List<Item, CursorPage<Item>> {
    const { waitMs } = query;
    const fetchPage = async (page: PageOptions): Promise<CursorPage<Item>> => {
      const body = await this.send<ListedByCursor>({ method: 'GET', path, query: page, options, waitMs });
      const { nextCursor, hasMore = nextCursor !== null } = body;
      return { items: (body[name] ?? []) as readonly Item[], hasMore, nextCursor }; // the service validates its responses against this type
    };
    return new List(query, fetchPage, { isEndless: waitMs !== undefined });
  }
}

/**
 * Returns an id as a segment of a path.
 * @throws TypeError for an empty id, `.` and `..`, which would lead to another path, and for a missing one, which JavaScript would send as "undefined"
 */
export function segment(id: string | null | undefined): string {
  const text = id ?? '';
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`An id is needed, not "${String(id)}".`);
  return encodeURIComponent(text);
}
