import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/**
 * Gives connections that die in a transaction back to the pool. Kysely releases a transaction's connection only after
 * a commit or rollback that succeeds, which a dead one never does: without this each would take a place in the pool
 * for good, until none is left.
 */
export function releaseDeadConnections(pool: Pool): void {
  const inUse = new Set<PoolClient>();
  pool.on('acquire', client => inUse.add(client));
  pool.on('release', (_err, client) => inUse.delete(client));
  pool.on('connect', client => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // Whoever held it may still give it back, to a pool that has forgotten it.
      client.release = () => undefined;
    });
  });
}

/**
 * Closes connections over which the server says nothing for so long, in milliseconds, while they are in use: the other
 * end is gone without a word, and a query would wait until TCP gives up. Choose it longer than any statement may take.
 */
export function closeSilentConnections(pool: Pool, silenceMs: number): void {
  function close(this: Socket) {
    this.destroy(new SilentConnection(silenceMs));
  }
  pool.on('acquire', client => {
    socketOf(client).setTimeout(silenceMs, close);
  });
  pool.on('release', (_err, client) => {
    socketOf(client).setTimeout(0, close);
  });
}

class SilentConnection extends Error {
  readonly code = 'ETIMEDOUT';
  constructor(silenceMs: number) {
    super(`PostgreSQL said nothing for ${silenceMs} ms.`);
  }
}

/** The types leave the socket out, which pg-pool itself uses as well. */
const socketOf = (client: PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
