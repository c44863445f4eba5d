import { connect } from 'node:net';

export interface RawResponse {
  /** The response status; 0 when the connection ended without a response. */
  readonly status: number;
  /** Body bytes that were written before the response or the end of the connection. */
  readonly written: number;
}

/**
 * Sends body chunks as fast as `body` yields them, and returns once the server has responded or closed the connection.
 * Chunks that are left then are not sent.
 */
export async function rawRequest(
  url: string,
  head: readonly string[],
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<RawResponse> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = '';
  let written = 0;
  const ended = new Promise<void>(resolve => {
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n\r\n')) resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));

  socket.write([...head, `host: ${host}`, '', ''].join('\r\n'));
  for await (const chunk of body) {
    if (hasEnded) break;
    written += chunk.length;
    if (!socket.write(chunk)) await Promise.race([new Promise(resolve => socket.once('drain', resolve)), ended]);
  }
  await ended;
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0), written };
}
