import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral range, so that no outgoing connection takes the port of a server that restarts. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 100;

/**
 * Returns a TCP port that is currently free on 127.0.0.1. Another program may take it before it is used, so the caller
 * must be ready to try another one.
 * @throws when no free port was found
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await tryPort(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error(`No free TCP port was found between ${LOWEST} and ${HIGHEST} on 127.0.0.1.`);
}

/** Returns undefined when a server can listen on this port and host now, otherwise the system's error. */
export function tryPort(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  const probe = createServer();
  probe.once('error', resolve);
  probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  return promise;
}
