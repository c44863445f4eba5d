import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What becomes of what passes: `pass`; `black-hole`: nothing arrives, in neither direction, not even an end, until the
 * mode changes; `reset`: connections are reset, new ones too; `delay`: everything comes `ms` later.
 */
export type ProxyMode = 'pass' | 'black-hole' | 'reset' | { readonly delay: number };

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  readonly mode: ProxyMode;
  set(mode: ProxyMode): void;
  /** Connections that are open now. */
  readonly connections: number;
}

/** Listens on a port of its own and passes on to `target` on 127.0.0.1. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const state: { mode: ProxyMode } = { mode: 'pass' };
  let changed = Promise.withResolvers<void>();
  const pairs = new Set<readonly [Socket, Socket]>();

  /** Resolves when bytes may pass. */
  const allowed = async () => {
    while (state.mode === 'black-hole') await changed.promise;
    if (typeof state.mode === 'object') await delay(state.mode.delay);
  };

  const forward = async (from: Socket, to: Socket) => {
    try {
      for await (const chunk of from.iterator({ destroyOnReturn: false })) {
        await allowed();
        if (!to.write(chunk as Buffer)) await once(to, 'drain');
      }
      await allowed();
      to.end();
    } catch {
      await allowed();
      to.destroy();
    }
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    client.on('error', () => undefined);
    if (state.mode === 'reset') {
      client.resetAndDestroy();
      return;
    }
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
  if (address === null || typeof address === 'string') throw new Error('The proxy has no TCP port.');

  const resetAll = () => pairs.forEach(pair => pair.forEach(socket => socket.resetAndDestroy()));
  return {
    port: address.port,
    get mode() {
      return state.mode;
    },
    get connections() {
      return pairs.size;
    },
    set(next) {
      state.mode = next;
      if (next === 'reset') resetAll();
      changed.resolve();
      changed = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      state.mode = 'pass';
      changed.resolve();
      resetAll();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
