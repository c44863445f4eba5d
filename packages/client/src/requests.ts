import type { CallOptions, WriteOptions } from './options.ts';
import { List, type CursorPage, type Page, type PageOptions } from './pages.ts';
import type { Request, Send } from './transport.ts';

/** The requests that resources are made of; paths are relative to the transport's. */
export interface Requests {
  get<Body>(path: string, query?: Request['query'], options?: CallOptions): Promise<Body>;
  post<Body>(path: string, body: unknown, options?: WriteOptions): Promise<Body>;
  put<Body>(path: string, body: unknown, options?: CallOptions): Promise<Body>;
  patch<Body>(path: string, body: unknown, options?: CallOptions): Promise<Body>;
  /** Succeeds too when a retry finds the object gone. */
  delete(path: string, options?: CallOptions): Promise<void>;
  /** A list; what its responses say beside of items and pagination is part of each page. */
  list<Item, Listed extends Page<Item> = Page<Item>>(
    path: string,
    name: string,
    query?: PageOptions,
    options?: CallOptions,
  ): List<Item, Listed>;
  /** A list that is read by cursor alone. With `waitMs` it has no end, and each request waits so long for what is new. */
  listByCursor<Item>(
    path: string,
    name: string,
    query?: PageOptions & { readonly waitMs?: number },
    options?: CallOptions,
  ): List<Item, CursorPage<Item>>;
  /** Sends a request and returns the response's body; undefined when `isDone` held. */
  send<Body>(request: Request): Promise<Body>;
  /** Sends a request and returns the response with its tag. */
  readonly sendTagged: Send;
}

interface ListBody {
  readonly [name: string]: unknown;
  readonly pagination: Omit<Page<unknown>, 'items'>;
}

interface ListedByCursor {
  readonly nextCursor: string | null;
  /** Absent where `nextCursor` says it. */
  readonly hasMore?: boolean;
}

export function createRequests(sendTagged: Send): Requests {
  const send: Requests['send'] = async <Body>(request: Request) => (await sendTagged<Body>(request)).body;
  const get: Requests['get'] = (path, query, options) => send({ method: 'GET', path, query, options });
  return {
    send,
    sendTagged,
    get,
    post: (path, body, options) => send({ method: 'POST', path, body, options }),
    put: (path, body, options) => send({ method: 'PUT', path, body, options }),
    patch: (path, body, options) => send({ method: 'PATCH', path, body, options }),
    async delete(path, options) {
      await send({ method: 'DELETE', path, options, isDone: ({ status }) => status === 404 });
    },
    list: <Item, Listed extends Page<Item> = Page<Item>>(
      path: string,
      name: string,
      query: PageOptions = {},
      options?: CallOptions,
    ) =>
      new List<Item, Listed>(query, async page => {
        const { pagination, [name]: items, ...rest } = await get<ListBody>(path, page, options);
        const { total, totalIsExact, hasMore, nextCursor } = pagination;
        return { ...rest, items: items ?? [], total, totalIsExact, hasMore, nextCursor } as Listed; // the service validates its responses against this type
      }),
    listByCursor<Item>(
      path: string,
      name: string,
      query: PageOptions & { readonly waitMs?: number } = {},
      options?: CallOptions,
    ) {
      const { waitMs } = query;
      const fetchPage = async (page: PageOptions): Promise<CursorPage<Item>> => {
        const request: Request = { method: 'GET', path, query: page, options, waitMs };
        const body = await send<ListedByCursor & Record<string, unknown>>(request);
        const { nextCursor, hasMore = nextCursor !== null } = body;
        return { items: (body[name] ?? []) as readonly Item[], hasMore, nextCursor }; // the service validates its responses against this type
      };
      return new List<Item, CursorPage<Item>>(query, fetchPage, { isEndless: waitMs !== undefined });
    },
  };
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
