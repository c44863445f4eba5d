import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What becomes of the response to a write that the processor has done. */
export type ResponseFate = 'pass' | 'none' | '500' | 'html' | 'broken';

export interface ResponseProxy extends AsyncDisposable {
  readonly url: string;
  /** Sets the server that requests go to; until then they are refused. */
  setTarget(url: string): void;
  /** Decides about each write that was done. It may take its time: the response waits for it. */
  onDone: () => ResponseFate | Promise<ResponseFate>;
}

/** Starts an HTTP proxy that can keep the response of a write that was done, or send something else. */
export async function startResponseProxy(): Promise<ResponseProxy> {
  let target: string | undefined;
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (target === undefined) throw new Error('The proxy has no target yet.');
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    const received = await fetch(`${target}${url}`, {
      method,
      headers: forwarded(headers),
      ...(body.length > 0 && { body }),
      redirect: 'manual',
    });
    const bytes = Buffer.from(await received.arrayBuffer());
    const isDoneWrite = method !== 'GET' && received.ok;
    const fate = isDoneWrite ? await proxy.onDone() : 'pass';
    if (fate === 'none') response.destroy();
    else if (fate === 'pass')
      response.writeHead(received.status, forwarded(Object.fromEntries(received.headers))).end(bytes);
    else respondOtherwise(response, fate, bytes);
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy did not get a TCP port.');

  const proxy: ResponseProxy = {
    url: `http://127.0.0.1:${address.port}`,
    setTarget(url) {
      target = url;
    },
    onDone: () => 'pass',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** Headers of one connection: each side sets its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** Returns the headers that are passed on. */
function forwarded(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OF_CONNECTION.has(name) ? [[name, value]] : [],
    ),
  );
}

function respondOtherwise(response: ServerResponse, fate: Exclude<ResponseFate, 'pass' | 'none'>, done: Buffer): void {
  const json = { 'content-type': 'application/json' };
  if (fate === '500')
    response.writeHead(500, json).end(JSON.stringify({ error: { type: 'api_error', message: 'An error occurred.' } }));
  else if (fate === 'html')
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad Gateway</body></html>');
  else response.writeHead(200, json).end(done.subarray(0, done.length / 2));
}
