import { once } from 'node:events';
import { connect } from 'node:net';

/** A response that never has a body: RFC 9110, section 15.4.5. */
const NOT_MODIFIED = 304;

/** A persistent connection that sends one request at a time. */
export interface Connection {
  /** Sends the bytes of a request, and returns the status once the whole response has arrived. */
  post(request: Buffer): Promise<number>;
  close(): void;
}

/** Renders a request as it is sent over the wire. */
export function requestBytes(url: URL, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const lines = Object.entries({
    host: url.host,
    connection: 'keep-alive',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/**
 * Opens a connection with a minimal HTTP/1.1 parser, for responses with a content-length or without a body. A full HTTP client would take
 * CPU time from the system under test.
 */
export async function openConnection(url: URL): Promise<Connection> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  await once(socket, 'connect');
  let received = '';
  let waiting: PromiseWithResolvers<number> | undefined;
  const fail = (err: Error) => waiting?.reject(err);
  socket.setEncoding('latin1');
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`${url.host} closed the connection.`)));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const status = statusOfComplete(received);
    if (status === undefined) return;
    received = '';
    waiting?.resolve(status);
  });
  return {
    post(request) {
      waiting = Promise.withResolvers<number>();
      socket.write(request);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}

/** Returns the status of a complete response; undefined while bytes are missing. */
function statusOfComplete(received: string): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const status = Number(received.slice(9, 12));
  if (status === NOT_MODIFIED) return status;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headEnd))?.[1];
  if (length === undefined) throw new Error('A response had no content-length.');
  return received.length >= headEnd + 4 + Number(length) ? status : undefined;
}
