import { connect } from 'node:net';
import type { Gateway } from './start-gateway.ts';

/** Sends bytes that no HTTP client would send, and returns everything received. */
export function sendRaw({ url }: Gateway, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request, 'latin1'));
    let response = '';
    socket.on('data', data => (response += data.toString('latin1')));
    socket.on('close', () => resolve(response));
    // A connection that is reset has nothing more to say.
    socket.on('error', (err: NodeJS.ErrnoException) => (err.code === 'ECONNRESET' ? resolve(response) : reject(err)));
    socket.setTimeout(60_000, () =>
      socket.destroy(new Error(`No response to ${JSON.stringify(request.slice(0, 500))}`)),
    );
  });
}

/** The statuses of all responses in what was received. */
export const statusesIn = (received: string): number[] =>
  Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
