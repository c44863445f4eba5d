import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which could take the place of a server that restarts. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 100;

/**
 * A TCP port of 127.0.0.1 that is free at this moment. Somebody else may take it before it is used, so
 * whoever listens on it must be ready to try another.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await tryPort(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error(`No free TCP port was found between ${LOWEST} and ${HIGHEST} on 127.0.0.1.`);
}

/** Undefined when a server could listen on this port of this host now; else the system's error. */
export function tryPort(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  const probe = createServer();
  probe.once('error', resolve);
  probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  return promise;
}
