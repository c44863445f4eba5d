import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/**
 * Returns connections that die inside a transaction to the pool. Kysely releases a transaction's connection only after a
 * commit or rollback succeeds, which never happens on a dead one: each would occupy a place in the pool for ever.
 */
export function releaseDeadConnections(pool: Pool): void {
  const inUse = new Set<PoolClient>();
  pool.on('acquire', client => inUse.add(client));
  pool.on('release', (_err, client) => inUse.delete(client));
  pool.on('connect', client => {
    client.once('end', () => {
      if (!inUse.has(client)) return;
      client.release(true);
      // The former holder may release it a second time; the pool no longer knows it and would throw.
      client.release = () => undefined;
    });
  });
}

/**
 * Closes connections in use on which the server is silent for `silenceMs`: the other end is gone, and a query would wait
 * until TCP gives up. Choose a time longer than any statement may take.
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
    super(`PostgreSQL was silent for ${silenceMs} ms.`);
  }
}

/** The socket is missing in the types; pg-pool itself uses it in the same way. */
const socketOf = (client: PoolClient): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
