import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ListenAddress, RunningServer } from '@billing/service/definition';
import { invalid, Problem } from '@billing/contracts/problem';
import { StartError } from '@billing/database/start-error';
import { closeInTime } from '@billing/service/open-service';
import { limitConnections, type ConnectionLimits } from './connection-limits.ts';

/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node looks for requests that exceed these timeouts, in milliseconds. */
const TIMEOUT_CHECK_MS = 2_000;
/** How long a caller may continue to send a rejected request, in milliseconds. */
const LINGER_MS = 2_000;
/** Longer than load balancers keep idle connections, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/**
 * What the header `Keep-Alive` tells callers instead, in seconds. They close an unused connection a little earlier, and so before
 * a gateway that closes does: a request that is sent at that moment would be lost.
 */
const ANNOUNCED_KEEP_ALIVE_SECONDS = 4;

interface ListenOptions extends ConnectionLimits {
  /** Whether the process was asked to end: callers are then told to close their connections. */
  readonly isClosing?: (() => boolean) | undefined;
}

/**
 * Starts an HTTP server.
 * @throws StartError when the port is in use or not permitted
 */
export async function listen(
  handle: RequestListener,
  { host, port }: ListenAddress,
  { isClosing = () => false, ...connections }: ListenOptions,
): Promise<RunningServer> {
  // By connection: a set of responses would change with every request, and V8 keeps what was in such a set for long.
  const unfinished = new Map<Duplex, ServerResponse | null>();
  const handleUntilClosed: RequestListener = (request, response) => {
    const { socket } = request;
    unfinished.set(socket, response);
    response.once('close', () => {
      // Neither a later response of the connection nor the connection's end is undone.
      if (unfinished.get(socket) === response) unfinished.set(socket, null);
    });
    if (isClosing()) response.setHeader('connection', 'close');
    else response.setHeader('keep-alive', `timeout=${ANNOUNCED_KEEP_ALIVE_SECONDS}`);
    handle(request, response);
  };
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    handleUntilClosed,
  );
  limitConnections(server, connections);
  server.on('connection', socket => socket.once('close', () => unfinished.delete(socket)));
  // Node would reject expectations other than `100-continue` itself, without our error body.
  server.on('checkExpectation', handleUntilClosed);
  const rejected = new WeakSet<Duplex>();
  server.on('clientError', (err: NodeJS.ErrnoException, socket) => {
    // More bytes of a rejected request: closing now would lose the response for a caller who is still sending.
    if (rejected.has(socket)) return;
    if (!socket.writable || err.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    rejected.add(socket);
    socket.end(rawResponse(refusalOf(err)));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) => reject(startError(err, host, port)));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // a server on a TCP port has this kind of address
    async close() {
      for (const response of unfinished.values())
        if (response?.headersSent === false) response.setHeader('connection', 'close');
      await closeInTime(server, () => server[Symbol.asyncDispose]());
    },
  };
}

/** Malformed HTTP and slow requests never reach Express, but get the same error body. */
const refusalOf = (err: NodeJS.ErrnoException): Problem =>
  err.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? new Problem('request_timeout', 'request_timeout', 'The request did not arrive within 15 seconds.')
    : invalid([{ path: '', message: 'This is not well-formed HTTP.' }]);

function rawResponse(problem: Problem): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problem.toBody(requestId));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}

function startError(err: NodeJS.ErrnoException, host: string, port: number): Error {
  if (err.code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is in use. Stop the process that uses it, or set PORT to another.`);
  if (err.code === 'EACCES') return new StartError(`Port ${port} on ${host} is not permitted. Set PORT to another.`);
  return err;
}
