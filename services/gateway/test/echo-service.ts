import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { decodeBundle, DELIVERIES_PATH } from '@billing/contracts/delivery-bundle';
import type { ServiceName } from '@billing/contracts/operation';
import { PROBLEM_HEADER } from '@billing/contracts/problem';
import {
  identityTokenVerifier,
  type Principal,
  type SignedRequest,
  type VerifyIdentityToken,
} from '@billing/service/identity-token';
import { pathOf } from '@billing/service/templated-path';
import type { ServiceUrls } from '../src/env.ts';

/** A request as a service received it. */
export interface ReceivedRequest {
  readonly service: ServiceName;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Null when the identity token is missing or invalid. */
  readonly principal: Principal | null;
}

type EchoService = Awaited<ReturnType<typeof startEchoService>>;
export type EchoServices = Readonly<Record<keyof ServiceUrls, EchoService>>;

const NAMES = ['catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'] as const;

/** Starts one echo for each service behind the gateway. */
export async function startEchoServices(publicKey: string, resources: AsyncDisposableStack): Promise<EchoServices> {
  const started = await Promise.all(
    NAMES.map(async name => [name, resources.adopt(await startEchoService(name, publicKey), it => it.close())]),
  );
  return Object.fromEntries(started) as EchoServices; // NAMES has each service
}

export const urlsOf = (services: EchoServices): ServiceUrls =>
  Object.fromEntries(NAMES.map(name => [name, services[name].url])) as unknown as ServiceUrls; // NAMES has each service

/**
 * Stands in for a service and returns each request as it received it. `?status=404` sets the status, `?problem=` the code of the
 * problem, `?etag=` a tag, `?retry-after=` the seconds to wait, `?length=` the length stated in a response to HEAD, `?hang=1` sends
 * no response, `?break=1` half of one.
 */
async function startEchoService(service: ServiceName, publicKey: string) {
  const verify = identityTokenVerifier(publicKey, service);
  const received: ReceivedRequest[] = [];
  let ready = true;
  let webhooks: { readonly status: number; readonly retryAfterSeconds?: number } = { status: 200 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      if (url === '/health/ready') {
        response.writeHead(ready ? 200 : 503).end('{}');
        return;
      }
      const principal = principalIn(verify, headers['x-billing-identity'], { method, path: pathOf(url) });
      const bytes = Buffer.concat(chunks);
      const it: ReceivedRequest = { service, method, url, headers, body: bytes.toString('latin1'), principal };
      received.push(it);
      if (url === DELIVERIES_PATH) echoBundle(response, it, bytes, webhooks);
      else echo(response, it);
    });
  });
  // It closes no connection itself.
  server.keepAliveTimeout = 0;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** Sets the status of each webhook's response, and when it is to be sent again. */
    respondToWebhooks: (status: number, retryAfterSeconds?: number) =>
      void (webhooks = { status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }),
    setReady: (value: boolean) => void (ready = value),
    /** Returns how many connections are open. */
    connections: () => promisify(server.getConnections.bind(server))(),
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function echo(response: ServerResponse, request: ReceivedRequest): void {
  const { searchParams } = new URL(request.url, 'http://echo');
  if (searchParams.has('hang')) return;
  if (searchParams.has('break')) {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
    return;
  }
  const tag = searchParams.get('etag');
  if (tag !== null)
    response.setHeaders(
      new Map([
        ['etag', tag],
        ['cache-control', 'private, max-age=0'],
      ]),
    );
  if (tag !== null && request.headers['if-none-match'] === tag) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(Number(searchParams.get('status') ?? 200), {
    'content-type': 'application/json; charset=utf-8',
    'x-powered-by': 'echo',
    'x-billing-secret': 'internal',
    ...(searchParams.has('length') && { 'content-length': searchParams.get('length') ?? '' }),
    ...(searchParams.has('retry-after') && { 'retry-after': searchParams.get('retry-after') ?? '' }),
    ...(searchParams.has('problem') && { [PROBLEM_HEADER]: searchParams.get('problem') ?? '' }),
    'set-cookie': ['stray=1', 'portal_return=of-the-service; Path=/portal/return/x'],
  });
  response.end(JSON.stringify(request));
}

/** Returns one response for each delivery of a bundle. */
function echoBundle(response: ServerResponse, request: ReceivedRequest, bytes: Buffer, head: { status: number }): void {
  const responses = decodeBundle(bytes).map(({ body, ...delivery }) => ({
    ...head,
    body: { ...request, body: body.toString('latin1'), delivery },
  }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ responses }));
}

function principalIn(verify: VerifyIdentityToken, token: string | string[] | undefined, request: SignedRequest) {
  try {
    return verify(typeof token === 'string' ? token : undefined, request).principal;
  } catch {
    return null;
  }
}
