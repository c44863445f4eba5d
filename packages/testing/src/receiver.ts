import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface FullResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A status, with headers or without, or nothing ever. */
type Response = number | 'hang' | FullResponse;
/** How a receiver responds; `count` includes this request. */
type Respond = (request: Received, count: number) => Response | Promise<Response>;

/** Responds as a service or a collector of traces would. */
export const emptyObject = (): FullResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{}',
});

export interface Receiver extends AsyncDisposable {
  /** Its address, without a path. */
  readonly origin: string;
  /** An address of it that webhooks can be sent to. */
  readonly url: string;
  readonly received: readonly Received[];
}

/** Starts a server on 127.0.0.1 that keeps what it receives, as a tenant's own, or in place of another program. */
export async function startReceiver(respond: Respond = () => 204): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = request;
      const body = await text(request).catch(() => undefined);
      // Who sent it has died.
      if (body === undefined) return;
      const got = { method, path, headers, body };
      received.push(got);
      const given = await respond(got, received.length);
      if (given === 'hang') return;
      const whole = typeof given === 'number' ? { status: given, headers: {} } : given;
      response.writeHead(whole.status, whole.headers).end(whole.body ?? 'ok');
    })();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    url: `${origin}/hook`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
