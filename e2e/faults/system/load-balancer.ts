import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';

/** Stands in for the load balancer in front of the copies of a service: HAProxy, or a service of Kubernetes. */
export interface LoadBalancer extends AsyncDisposable {
  readonly port: number;
  /** Sends connections to these ports from now on, in turn. */
  setTargets(ports: readonly number[]): void;
}

/** How often each copy is asked whether it closes, in milliseconds. */
const CHECK_EVERY_MS = 100;
const CHECK_TIMEOUT_MS = 2_000;

/**
 * Listens on a free port of 127.0.0.1, and hands each connection to the next copy that is live and does not close. A copy
 * that refuses a connection is passed over, since nothing was sent to it.
 */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  let targets: readonly number[] = [];
  const live = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;

  const check = async (port: number): Promise<void> => {
    const isLive = await fetch(`http://127.0.0.1:${port}/health/live`, {
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    })
      .then(async response => response.ok && (await response.text()).includes('"live"'))
      .catch(() => false);
    if (isLive) live.add(port);
    else live.delete(port);
  };
  const timer = setInterval(() => targets.forEach(port => void check(port)), CHECK_EVERY_MS);

  const connectTo = (client: Socket, ports: readonly number[]): void => {
    const [port, ...others] = ports;
    if (port === undefined) return client.destroy() && undefined;
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.add(upstream);
    upstream.once('error', () => {
      live.delete(port);
      connectTo(client, others);
    });
    upstream.once('connect', () => {
      upstream.removeAllListeners('error').on('error', () => client.destroy());
      // What the copy has sent last may still be on its way to the client.
      upstream.once('close', () => client.destroySoon());
      client.once('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
    upstream.once('close', () => sockets.delete(upstream));
  };

  const server = createServer({ noDelay: true, pauseOnConnect: true }, client => {
    sockets.add(client);
    client.on('error', () => undefined).once('close', () => sockets.delete(client));
    const candidates = targets.filter(port => live.has(port));
    turn += 1;
    const start = candidates.length > 0 ? turn % candidates.length : 0;
    connectTo(client, [...candidates.slice(start), ...candidates.slice(0, start)]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The load balancer did not get a TCP port.');
  return {
    port: address.port,
    setTargets: ports => void (targets = ports),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
