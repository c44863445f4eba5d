import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Starts a TCP proxy to a server that a test can cut, silence and restore, to simulate a failing network or server. */
export async function startLink(serverUrl: string) {
  const target = new URL(serverUrl);
  const open = new Set<Socket>();
  let port = 0;
  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => (open.delete(socket), other.destroy()));
      socket.pipe(other);
    }
  });
  const mend = () => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const cut = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  /** Open connections stay open but carry no more data; new connections work. */
  const silence = () => {
    for (const socket of open) socket.unpipe().pause();
  };
  await mend();
  ({ port } = server.address() as AddressInfo); // a server on a TCP port has this kind of address
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cut,
    silence,
    mend,
    [Symbol.asyncDispose]: async () => (server.listening ? cut() : undefined),
  };
}
