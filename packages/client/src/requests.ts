import type { CallOptions, WriteOptions } from './options.ts';
import { List, type Page, type PageOptions } from './pages.ts';
import type { Request, Send } from './transport.ts';

/** The requests that resources are made of; paths are relative to the transport's. */
export interface Requests {
  get<Body>(path: string, query?: Request['query'], options?: CallOptions): Promise<Body>;
  post<Body>(path: string, body: unknown, options?: WriteOptions): Promise<Body>;
  patch<Body>(path: string, body: unknown, options?: CallOptions): Promise<Body>;
  /** Succeeds too when a retry finds the object gone. */
  delete(path: string, options?: CallOptions): Promise<void>;
  list<Item>(path: string, name: string, query?: PageOptions, options?: CallOptions): List<Item>;
  readonly send: Send;
}

interface Listed {
  readonly pagination: Omit<Page<unknown>, 'items'>;
}

export function createRequests(send: Send): Requests {
  const get: Requests['get'] = (path, query, options) => send({ method: 'GET', path, query, options });
  return {
    send,
    get,
    post: (path, body, options) => send({ method: 'POST', path, body, options }),
    patch: (path, body, options) => send({ method: 'PATCH', path, body, options }),
    async delete(path, options) {
      await send({ method: 'DELETE', path, options, isDone: ({ status }) => status === 404 });
    },
    list: <Item>(path: string, name: string, query: PageOptions = {}, options?: CallOptions) =>
      new List(query, async (page): Promise<Page<Item>> => {
        const body = await get<Listed & Record<string, readonly Item[]>>(path, page, options);
        const { total, totalIsExact, hasMore, nextCursor } = body.pagination;
        return { items: body[name] ?? [], total, totalIsExact, hasMore, nextCursor };
      }),
  };
}

/**
 * Returns an id as a segment of a path.
 * @throws TypeError for an empty id, `.` and `..`, which would lead to another path
 */
export function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`An id is needed, not "${id}".`);
  return encodeURIComponent(id);
}
