import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a stand-in received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that stands in for a service or a collector of traces. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** Requests of health checks left out. */
  readonly received: readonly Received[];
}

/** Opens a server on 127.0.0.1 that accepts every request, responds with `{}` and keeps what it received. */
export async function openStandIn(): Promise<StandIn> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      if (!url.startsWith('/health/')) received.push({ method, url, headers, body });
      response.setHeader('content-type', 'application/json').end('{}');
    })();
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on TCP
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => void server.close(resolve));
    },
  };
}
