import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer extends AsyncDisposable {
  readonly port: number;
}

/** Listens on a free port of 127.0.0.1, and forwards each new connection to the next of these ports. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let accepted = 0;

  const server = createServer({ noDelay: true }, client => {
    const port = ports[accepted++ % ports.length] ?? 0;
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    const pair = [client, upstream] as const;
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        for (const it of pair) it.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The balancer has no TCP port.');

  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
