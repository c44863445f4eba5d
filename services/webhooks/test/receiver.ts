import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, with headers or without, or nothing ever. */
type Response = number | 'hang' | { readonly status: number; readonly headers: OutgoingHttpHeaders };
/** How a receiver responds. */
type Respond = (request: Received, count: number) => Response | Promise<Response>;

/** Starts a server that gets webhooks, as a tenant runs it. */
export async function startReceiver(respond: Respond = () => 204) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const send = async (): Promise<void> => {
      const got = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(got);
      const given = await respond(got, received.length);
      if (given === 'hang') return;
      const { status, headers } = typeof given === 'number' ? { status: given, headers: {} } : given;
      response.writeHead(status, headers).end('ok');
    };
    request.on('end', () => void send());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** The ids of the events that came, in order, after an independent library has verified their signatures. */
    verified: (secret: string) =>
      received.map(({ headers, body }) => {
        new Webhook(secret).verify(body, headers as Record<string, string>); // it reads three of them
        return JSON.parse(body) as {
          readonly id: string;
          readonly position: number;
          readonly object: { id: string; sequence: number };
        };
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
