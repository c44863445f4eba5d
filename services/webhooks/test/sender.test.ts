import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllowedTargets } from '#domain/sent-urls.ts';
import { NameNotResolved, type Resolve } from '#outgoing/resolve-names.ts';
import { openSender, readBeginning } from '#outgoing/sender.ts';

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

/** Starts a server and returns its port and the paths of its requests; one that only connects counts as ''. */
async function startServer(respond: RequestListener, host = '127.0.0.1', onPort = 0) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    respond(request, response);
  }).on('connection', () => seen.push(''));
  await new Promise<void>(resolve => void server.listen(onPort, host, resolve));
  resources.defer(async () => {
    server.closeAllConnections();
    await new Promise(resolve => void server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, seen }; // it listens on TCP
}

/** Posts to a URL, with these targets opened and these addresses of every name. */
function senderTo(
  targets: string,
  resolve: Resolve = async name => Promise.reject(new NameNotResolved(name)),
  totalMs?: number,
) {
  const allowed = { targets: parseAllowedTargets(targets), ownPorts: new Set<number>() };
  const sender = resources.adopt(
    openSender({ allowed, resolve, now: () => new Date(), ...(totalMs !== undefined && { totalMs }) }),
    opened => opened.close(),
  );
  return (url: string, body = Buffer.from('{}')) =>
    sender.send(new URL(url), { 'content-type': 'application/json' }, body);
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
  const send = senderTo('127.0.0.1', undefined, 2_000);
  const sendTo = async (respond: RequestListener) => send(`http://127.0.0.1:${(await startServer(respond)).port}/`);
  const sent = await Promise.all([cut, slow, endless, wide, silent].map(sendTo));
  expect(sent.map(({ responseStatus, error }) => responseStatus ?? error)).toEqual([200, 202, 203, 204, 'timeout']);
  expect(sent.at(-1)?.address).toBe('127.0.0.1');
});

it('reads the beginning of a body, and keeps 4 KiB of it as text', async () => {
  let read = 0;
  async function* endless() {
    for (;;) yield Buffer.alloc(1_000, (read += 1) === 1 ? '\u0000' : 'a');
  }
  const text = await readBeginning(Object.assign(endless(), { destroy: () => undefined }));
  expect(text).toBe('\uFFFD'.repeat(1_000) + 'a'.repeat(3_096));
  expect(read).toBe(17);
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

it('names a name without an address, and a port where nobody listens', async () => {
  expect(await senderTo('')('https://hooks.example/')).toMatchObject({ error: 'dns_error', address: null });
  const { port } = await startServer(ok, '127.0.0.2');
  expect(await senderTo('127.0.0.1')(`http://127.0.0.1:${port}/`)).toMatchObject({ error: 'connection_refused' });
});
