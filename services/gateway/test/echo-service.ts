import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeBundle, DELIVERIES_PATH } from '@billing/contracts/delivery-bundle';
import type { ServiceName } from '@billing/contracts/operation';
import { identityTokenVerifier, type Principal } from '@billing/service/identity-token';

/** What a service saw of a request. */
export interface Seen {
  readonly service: ServiceName;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Null when the statement of who asks is missing or false. */
  readonly principal: Principal | null;
}

/** Stands where a service will: answers what it saw. `?status=404` makes it answer so, `?hang=1` not at all, `?break=1` by half. */
export async function startEchoService(service: ServiceName, publicKey: string) {
  const verify = identityTokenVerifier(publicKey, service);
  const seen: Seen[] = [];
  let ready = true;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      if (url === '/health/ready') response.writeHead(ready ? 200 : 503).end('{}');
      else {
        const principal = principalIn(verify, headers['x-billing-identity']);
        const bytes = Buffer.concat(chunks);
        const it: Seen = { service, method, url, headers, body: bytes.toString('latin1'), principal };
        seen.push(it);
        if (url === DELIVERIES_PATH) answerBundle(response, it, bytes);
        else answer(response, it);
      }
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    setReady: (value: boolean) => void (ready = value),
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, seen: Seen): void {
  const { searchParams } = new URL(seen.url, 'http://echo');
  if (searchParams.has('hang')) return;
  if (searchParams.has('break')) {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
    return;
  }
  response.writeHead(Number(searchParams.get('status') ?? 200), {
    'content-type': 'application/json; charset=utf-8',
    'x-powered-by': 'echo',
    'x-billing-secret': 'internal',
    'set-cookie': ['stray=1', 'portal_return=of-the-service; Path=/portal/return/x'],
  });
  response.end(JSON.stringify(seen));
}

/** Answers each delivery with what was seen of it. */
function answerBundle(response: ServerResponse, seen: Seen, bytes: Buffer): void {
  const deliveries = decodeBundle(bytes);
  const answers = deliveries.map(({ body, ...delivery }) => ({
    status: 200,
    body: { ...seen, body: body.toString('latin1'), delivery, together: deliveries.length },
  }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ answers }));
}

export type EchoService = Awaited<ReturnType<typeof startEchoService>>;

function principalIn(verify: ReturnType<typeof identityTokenVerifier>, statement: string | string[] | undefined) {
  try {
    return verify(typeof statement === 'string' ? statement : undefined);
  } catch {
    return null;
  }
}
