import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * `pass` forwards everything. `black-hole` keeps connections open but forwards nothing, in both directions, until the
 * mode changes. `delay` forwards everything that many milliseconds later.
 */
type ProxyMode = 'pass' | 'black-hole' | { readonly delay: number };

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  set(mode: ProxyMode): void;
  /** Connects to another port from now on; connections that are open stay where they are. */
  retarget(port: number): void;
}

/** Listens on a free port and forwards to the port `target`, both on 127.0.0.1. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  let target = port;
  const state: { mode: ProxyMode } = { mode: 'pass' };
  let changed = Promise.withResolvers<void>();
  const pairs = new Set<readonly [Socket, Socket]>();

  /** Resolves when the mode lets bytes pass. */
  const untilAllowed = async () => {
    while (state.mode === 'black-hole') await changed.promise;
    if (typeof state.mode === 'object') await delay(state.mode.delay);
  };

  const forward = async (from: Socket, to: Socket) => {
    try {
      for await (const chunk of from.iterator({ destroyOnReturn: false })) {
        await untilAllowed();
        if (!to.write(chunk as Buffer)) await once(to, 'drain'); // no encoding is set, so chunks are buffers
      }
      await untilAllowed();
      to.end();
    } catch {
      await untilAllowed();
      to.destroy();
    }
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    client.on('error', () => undefined);
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    upstream.on('error', () => undefined);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    void Promise.all([forward(client, upstream), forward(upstream, client)]).finally(() => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy did not get a TCP port.');

  return {
    port: address.port,
    retarget: next => void (target = next),
    set(next) {
      state.mode = next;
      changed.resolve();
      changed = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      state.mode = 'pass';
      changed.resolve();
      for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
