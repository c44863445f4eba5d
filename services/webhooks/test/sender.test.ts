import { readFileSync } from 'node:fs';
import { createServer, Server as HttpServer, setGlobalProxyFromEnv, type RequestListener } from 'node:http';
import { createServer as createTlsServer, Server as HttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { certificate } from '@billing/testing/tls-servers';
import { waitFor } from '@billing/testing/wait-for';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllowedTargets } from '../src/outgoing/sent-urls.rules.ts';
import { NameNotResolved, type Resolve } from '../src/outgoing/resolve-names.ts';
import { beginningOf, openSender } from '../src/outgoing/sender.ts';

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

/** Has a server listen for this test. Returns its port. */
async function listen(server: Server, host = '127.0.0.1', onPort = 0): Promise<number> {
  await new Promise<void>(resolve => void server.listen(onPort, host, resolve));
  resources.defer(async () => {
    if (server instanceof HttpServer || server instanceof HttpsServer) server.closeAllConnections();
    await new Promise(resolve => void server.close(resolve));
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** Starts a server and returns its port and the paths of its requests; one that only connects counts as ''. */
async function startServer(respond: RequestListener, host = '127.0.0.1', onPort = 0) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    respond(request, response);
  }).on('connection', () => seen.push(''));
  return { port: await listen(server, host, onPort), seen };
}

/** Posts to a URL, with these targets opened and these addresses of every name. */
function senderTo(
  targets: string,
  resolve: Resolve = async name => Promise.reject(new NameNotResolved(name)),
  limits: { readonly totalMs?: number; readonly maxAgeMs?: number } = {},
) {
  const allowed = { targets: parseAllowedTargets(targets), ownPorts: new Set<number>() };
  const sender = resources.adopt(openSender({ allowed, resolve, now: () => new Date(), ...limits }), opened =>
    opened.close(),
  );
  return (url: string, body = Buffer.from('{}'), teamId = 'team_a') =>
    sender.send(new URL(url), { 'content-type': 'application/json' }, body, teamId);
}

const ok: RequestListener = (_request, response) => void response.end('ok');
const REFUSED = { error: 'address_not_allowed', address: null, responseStatus: null, responseBody: null };

it.each(['127.0.0.1', '127.1', '0x7f.0.0.1', '2130706433', '017700000001', '[::ffff:127.0.0.1]', '0.0.0.0'])(
  'connects to no inner address that is spelled %s',
  async host => {
    const { port, seen } = await startServer(ok);
    for (const protocol of ['http', 'https'])
      expect(await senderTo('')(`${protocol}://${host}:${port}/`)).toMatchObject(REFUSED);
    expect(seen).toEqual([]);
  },
);

it('connects to no name that leads to inner addresses, nor to the inner ones of several', async () => {
  const { port, seen } = await startServer(ok, '127.0.0.2');
  const inner = async () => ['127.0.0.2', '::ffff:127.0.0.2', '169.254.169.254', 'fe80::1%lo'];
  expect(await senderTo('', inner)(`https://hooks.example:${port}/`)).toMatchObject(REFUSED);
  const [open, closed] = [await startServer(ok), seen];
  const both = async () => ['127.0.0.2', '127.0.0.1'];
  const sent = await senderTo(`127.0.0.1`, both)(`http://hooks.example:${open.port}/`);
  expect(sent).toMatchObject({ responseStatus: 200, address: '127.0.0.1' });
  expect(closed).toEqual([]);
});

it('dials the address that was checked, whatever the name leads to a moment later', async () => {
  const outer = await startServer((_request, response) => void response.setHeader('connection', 'close').end('ok'));
  const inner = await startServer(ok, '127.0.0.2', outer.port);
  let lookups = 0;
  const rebinding = async () => [(lookups += 1) === 1 ? '127.0.0.1' : '127.0.0.2'];
  const send = senderTo('127.0.0.1', rebinding);
  const url = `http://hooks.example:${outer.port}/`;
  expect(await send(url)).toMatchObject({ responseStatus: 200, address: '127.0.0.1' });
  expect(await send(url)).toMatchObject(REFUSED);
  expect(lookups).toBe(2);
  expect(inner.seen).toEqual([]);
});

it('follows a name to its new address however busy the connection is, and to no inner one', async () => {
  const before = await startServer(ok);
  await startServer(ok, '127.0.0.2', before.port);
  let address = '127.0.0.1';
  const send = senderTo('127.0.0.1,127.0.0.2', async () => [address], { maxAgeMs: 50 });
  const url = `http://hooks.example:${before.port}/`;
  expect(await send(url)).toMatchObject({ responseStatus: 200, address });
  for (address of ['127.0.0.2', '127.0.0.3'])
    await waitFor(async () => (await send(url)).address !== '127.0.0.1', { what: `a request to ${address}` });
  await waitFor(async () => (await send(url)).error === 'address_not_allowed', {
    what: 'the inner address to be refused',
  });
});

it('goes straight to an endpoint though the process has a proxy, which would look up names itself', async () => {
  const [proxy, endpoint] = [await startServer(ok), await startServer(ok)];
  const url = `http://127.0.0.1:${proxy.port}`;
  resources.defer(setGlobalProxyFromEnv({ HTTP_PROXY: url, HTTPS_PROXY: url }));
  for (const protocol of ['http', 'https']) await senderTo('127.0.0.1')(`${protocol}://127.0.0.1:${endpoint.port}/`);
  expect(endpoint.seen).toEqual(['', '/', '']);
  expect(proxy.seen).toEqual([]);
});

it.each(['100 Continue', '102 Processing', '103 Early Hints'])(
  'passes over a %s that comes before the response',
  async early => {
    const server = createTcpServer(socket => {
      const respond = () => socket.write(`HTTP/1.1 ${early}\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
      socket.on('data', respond).on('error', () => undefined);
    });
    const port = await listen(server);
    const send = senderTo('127.0.0.1');
    for (const body of ['{}', '{"a":1}'])
      expect(await send(`http://127.0.0.1:${port}/`, Buffer.from(body))).toMatchObject({ responseStatus: 200 });
  },
);

it('follows no redirect', async () => {
  const inner = await startServer(ok, '127.0.0.2');
  const location = `http://127.0.0.2:${inner.port}/latest/meta-data`;
  for (const status of [301, 302, 303, 307, 308]) {
    const { port } = await startServer((_request, response) => void response.writeHead(status, { location }).end());
    expect(await senderTo('127.0.0.0/8')(`http://127.0.0.1:${port}/`)).toMatchObject({ responseStatus: status });
  }
  expect(inner.seen).toEqual([]);
});

it('keeps what a response says only where it comes from the public internet', async () => {
  const { port } = await startServer((_request, response) => void response.writeHead(500).end('the inner network'));
  expect(await senderTo('127.0.0.1')(`http://127.0.0.1:${port}/`)).toMatchObject({
    responseStatus: 500,
    responseBody: null,
  });
});

it('takes a 2xx for a success whose headers are long, whose body is cut, slow or endless, and waits no longer than it may', async () => {
  const cut: RequestListener = (_request, response) =>
    response.writeHead(200, { 'content-length': 100 }).write('a', () => response.destroy());
  const slow: RequestListener = (_request, response) => void response.writeHead(202).write('a');
  const endless: RequestListener = (_request, response) => {
    const more = (): void => void response.write('a'.repeat(10_000), err => err ?? more());
    response.writeHead(203);
    more();
  };
  const wide: RequestListener = (_request, response) =>
    void response.writeHead(204, { 'x-long': 'a'.repeat(40_000) }).end();
  const silent: RequestListener = () => undefined;
  const send = senderTo('127.0.0.1', undefined, { totalMs: 2_000 });
  const sendTo = async (respond: RequestListener) => send(`http://127.0.0.1:${(await startServer(respond)).port}/`);
  const sent = await Promise.all([cut, slow, endless, wide, silent].map(sendTo));
  expect(sent.map(({ responseStatus, error }) => responseStatus ?? error)).toEqual([200, 202, 203, 204, 'timeout']);
  expect(sent.at(-1)?.address).toBe('127.0.0.1');
});

it('keeps 4 KiB of a body as text', () => {
  const chunks = Array.from({ length: 17 }, (_, index) => Buffer.alloc(1_000, index === 0 ? '\u0000' : 'a'));
  expect(beginningOf(chunks)).toBe('\uFFFD'.repeat(1_000) + 'a'.repeat(3_096));
});

it('notes where each of several requests to one name went', async () => {
  const first = await startServer(ok);
  await startServer(ok, '127.0.0.2', first.port);
  let lookups = 0;
  const send = senderTo('127.0.0.0/8', async () => [`127.0.0.${(lookups += 1)}`]);
  const body = Buffer.from('{"the":"same"}');
  const url = `http://hooks.example:${first.port}/`;
  const [one, two] = await Promise.all([send(url, body), send(url, body)]);
  expect([one, two].map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.2']);
});

it('posts by https to who has a certificate for the name, and names it where there is none', async () => {
  const before = getCACertificates('default');
  resources.defer(() => setDefaultCACertificates(before));
  const [key, cert, ca] = (['server.key', 'server.crt', 'ca.crt'] as const).map(name =>
    readFileSync(certificate(name)),
  );
  const port = await listen(createTlsServer({ key, cert }, ok));
  const send = senderTo('127.0.0.1,localhost', async () => ['127.0.0.1']);
  expect(await send(`https://localhost:${port}/`)).toMatchObject({ error: 'tls_error', responseStatus: null });
  setDefaultCACertificates([...before, String(ca)]);
  expect(await send(`https://localhost:${port}/`)).toMatchObject({ responseStatus: 200, address: '127.0.0.1' });
  expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ error: 'tls_error' });
});

it('names a name without an address, and a port where nobody listens', async () => {
  expect(await senderTo('')('https://hooks.example/')).toMatchObject({ error: 'dns_error', address: null });
  const { port } = await startServer(ok, '127.0.0.2');
  expect(await senderTo('127.0.0.1')(`http://127.0.0.1:${port}/`)).toMatchObject({ error: 'connection_refused' });
});

it('S82: keeps few connections of a team open for its next requests, and none for long, whatever receivers say', async () => {
  let open = 0;
  const server = createServer({ keepAliveTimeout: 0 }, (_request, response) =>
    response.writeHead(200, { 'keep-alive': 'timeout=600' }).end('ok'),
  );
  server.on('connection', socket => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  const port = await listen(server, '0.0.0.0');
  const send = senderTo('127.0.0.0/8');
  const urls = Array.from({ length: 100 }, (_, host) => `http://127.0.1.${host}:${port}/`);
  const sent = await Promise.all(urls.map(url => send(url)));
  expect(new Set(sent.map(({ responseStatus }) => responseStatus))).toEqual(new Set([200]));
  let most = 0;
  for (const url of urls.toReversed()) {
    await send(url.replace('127.0.1', '127.0.2'));
    most = Math.max(most, open);
  }
  expect(most).toBeLessThan(130);
  await waitFor(() => open === 0, { what: 'the connections to be closed', timeoutMs: 60_000 });
});

it('S69: reads little of a response whose head or body does not end', async () => {
  /** Responds with a head, and then the same bytes again and again. */
  const endless = async (head: string, more: string) => {
    let written = 0;
    const server = createTcpServer(socket => {
      const write = (): void => {
        if (socket.destroyed) return;
        written += more.length;
        socket.write(more, err => err ?? setImmediate(write));
      };
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(head, write));
    });
    const port = await listen(server);
    const sent = await senderTo('127.0.0.1', undefined, { totalMs: 20_000 })(`http://127.0.0.1:${port}/`);
    return { written, sent: sent.responseStatus ?? sent.error };
  };
  const long = 'a'.repeat(8_000);
  const responses = await Promise.all([
    endless('HTTP/1.1 200 OK\r\n', `x-${long}: ${long}\r\n`),
    endless('', `HTTP/1.1 103 Early Hints\r\nlink: ${long}\r\n\r\n`),
    endless('HTTP/1.1 200 OK\r\n\r\n', long),
    endless('HTTP/1.1 201 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', long),
    endless('HTTP/1.1 202 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n', `x-${long}: ${long}\r\n`),
  ]);
  expect(responses.map(({ sent }) => sent)).toEqual(['connection_error', 'too_long', 200, 201, 202]);
  for (const { written } of responses) expect(written).toBeLessThan(200_000_000);
});
