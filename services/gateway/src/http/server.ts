import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { invalid, Problem } from '@billing/contracts/problem';
import { StartError } from '@billing/service/start-error';

/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often requests are looked at for being late, in milliseconds. */
const CHECKING_MS = 2_000;
/** How long a caller whose request was refused may go on sending it, in milliseconds. */
const LINGER_MS = 2_000;
/** Longer than load balancers keep their connections, so that they are the ones who close. */
const KEEP_ALIVE_MS = 75_000;

interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** A server that takes requests. */
export interface RunningServer {
  readonly port: number;
  /** Takes no more requests, and waits for those under way. */
  close(): Promise<void>;
}

/**
 * Listens.
 * @throws StartError when the port is in use or may not be used
 */
export async function listen(handle: RequestListener, { host, port }: ListenOptions): Promise<RunningServer> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    handle,
  );
  // Node would answer an expectation other than `100-continue` by itself, without our form of an error.
  server.on('checkExpectation', handle);
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (err: NodeJS.ErrnoException, socket) => {
    // The rest of what was refused: to hang up on it would take the answer away from a caller who is still sending.
    if (refused.has(socket)) return;
    if (!socket.writable || err.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    refused.add(socket);
    socket.end(refusal(problemOf(err)));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) => reject(startError(err, host, port)));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // a server on a TCP port has this kind of address
    close: () =>
      new Promise((resolve, reject) => {
        server.close(err => (err ? reject(err) : resolve()));
        server.closeIdleConnections();
      }),
  };
}

/** What cannot be parsed as HTTP, or comes too slowly, never becomes a request; it gets the same kind of answer. */
const problemOf = (err: NodeJS.ErrnoException): Problem =>
  err.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? new Problem('request_timeout', 'request_timeout', 'The request did not arrive within 15 seconds.')
    : invalid([{ path: '', message: 'This is not well-formed HTTP.' }]);

function refusal(problem: Problem): string {
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
    return new StartError(`Port ${port} on ${host} is in use. Stop what listens there, or set PORT to another.`);
  if (err.code === 'EACCES') return new StartError(`Port ${port} on ${host} may not be used. Set PORT to another.`);
  return err;
}
