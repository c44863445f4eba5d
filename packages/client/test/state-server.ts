import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openEntitlements } from '../src/entitlements.ts';
import type { ClientOptions, Entitlement } from '../src/index.ts';
import { Requests } from '../src/requests.ts';
import { openTransport } from '../src/transport.ts';

/** How the server fails; `undefined` when it does not. */
export type Fault = 'drop' | 'break off' | 'never' | 500 | 503 | 429 | 'page' | undefined;

/** Starts a server that returns one customer's state, by a clock of its own, and opens a client of it with another clock. */
export async function startStateServer({
  skewMs = 0,
  ...options
}: Partial<ClientOptions> & { readonly skewMs?: number } = {}) {
  const server = {
    /** Milliseconds since 1970, by the client's clock. */
    now: Date.parse('2026-03-02T09:30:00Z'),
    /** How far that clock was set back. */
    setBackMs: 0,
    fault: undefined as Fault,
    /** What the customer was given; what has ended is left out. */
    entitlements: {} as Record<string, Pick<Entitlement, 'value' | 'until'> & { readonly type?: Entitlement['type'] }>,
    /** The paths of the requests so far, each with the tag that it had. */
    received: [] as { readonly url: string | undefined; readonly tag: string | undefined }[],
  };

  function respond(request: IncomingMessage, response: ServerResponse): void {
    const tag = request.headers['if-none-match'];
    server.received.push({ url: request.url, tag });
    const { fault } = server;
    if (fault === 'never') return;
    if (fault === 'drop') return void response.socket?.destroy();
    if (fault === 'break off')
      return void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.socket?.destroy());
    if (fault === 'page') return void response.writeHead(200).end('<h1>We are back soon</h1>');
    if (fault) return void response.writeHead(fault, { 'retry-after': '0' }).end(JSON.stringify(PROBLEM));
    const asOf = new Date(server.now + skewMs);
    const left = Object.entries(server.entitlements).filter(([, { until }]) => !until || new Date(until) > asOf);
    const state = {
      entitlements: Object.fromEntries(left.map(([key, one]) => [key, { type: 'boolean', sources: [], ...one }])),
    };
    const etag = `"${createHash('sha256').update(JSON.stringify(state)).digest('hex')}"`;
    if (tag === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { etag }).end(JSON.stringify({ state: { ...state, asOf } }));
  }

  const listener = createServer(respond);
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const requests = new Requests(openTransport({ baseUrl, maxRetries: 0, ...options }, ''));
  return {
    server,
    entitlements: openEntitlements({
      requests,
      now: () => server.now - server.setBackMs,
      elapsed: () => server.now,
      timeoutMs: options.timeoutMs,
    }),
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections();
      await new Promise(resolve => listener.close(resolve));
    },
  };
}

const PROBLEM = { error: { code: 'unavailable', message: 'Try again.', requestId: 'r-1' } };
