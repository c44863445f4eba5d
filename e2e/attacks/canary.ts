import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address that no webhook may be sent to. */
const ADDRESS = '127.0.0.2';

/** Servers on an address of this machine that nobody has a reason to call. */
export interface Canaries extends AsyncDisposable {
  /** Their addresses, by http. */
  readonly urls: readonly string[];
  /** What was connected or sent to them. */
  readonly hits: readonly string[];
}

/** Opens canaries; each notes every connection and request, and redirects to the next one. */
export async function openCanaries(count = 5): Promise<Canaries> {
  const hits: string[] = [];
  const servers = Array.from({ length: count }, () =>
    createServer((request, response) => {
      hits.push(`${request.method} ${request.url}`);
      response.writeHead(302, { location: '/again' }).end();
    }).on('connection', () => hits.push('connection')),
  );
  await Promise.all(servers.map(server => new Promise<void>(resolve => void server.listen(0, ADDRESS, resolve))));
  return {
    urls: servers.map(server => `http://${ADDRESS}:${(server.address() as AddressInfo).port}`), // listens on TCP
    hits,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        servers.map(server => {
          server.closeAllConnections();
          return new Promise(resolve => void server.close(resolve));
        }),
      );
    },
  };
}
