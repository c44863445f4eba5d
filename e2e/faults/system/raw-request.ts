import { connect } from 'node:net';

export interface RawAnswer {
  /** The status line's number; 0 when the connection ended without one. */
  readonly status: number;
  /** Bytes that were taken from us before the end. */
  readonly taken: number;
}

/**
 * Sends bytes as they are drawn, as slowly as they come, and answers when the other end has answered or hung up. What
 * is left is not sent then.
 */
export async function rawRequest(
  url: string,
  head: readonly string[],
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = '';
  let taken = 0;
  const answered = new Promise<void>(resolve => {
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n\r\n')) resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  let isAnswered = false;
  void answered.then(() => (isAnswered = true));

  socket.write([...head, `host: ${host}`, '', ''].join('\r\n'));
  for await (const chunk of body) {
    if (isAnswered) break;
    taken += chunk.length;
    if (!socket.write(chunk)) await Promise.race([new Promise(resolve => socket.once('drain', resolve)), answered]);
  }
  await answered;
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0), taken };
}
