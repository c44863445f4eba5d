import { connect } from 'node:net';
import { inject } from 'vitest';

/** Longer than the gateway waits for the rest of a rejected request, in milliseconds. */
const PATIENCE_MS = 8_000;

/**
 * Sends bytes that no HTTP client would send, and returns everything received until the gateway closes the connection; the
 * bytes should ask for that with `Connection: close`.
 */
export function sendRaw(request: string): Promise<string> {
  const { hostname, port } = new URL(inject('gatewayUrl'));
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'));
    let received = '';
    socket.on('data', chunk => (received += chunk.toString('latin1')));
    socket.on('close', () => resolve(received));
    // A connection that is reset has nothing more to say.
    socket.on('error', (err: NodeJS.ErrnoException) => (err.code === 'ECONNRESET' ? resolve(received) : reject(err)));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  });
}

/** Returns the statuses of all responses in what was received. */
export const statusesIn = (received: string): number[] =>
  Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
