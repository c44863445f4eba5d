import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { verifyWebhook } from '@billing/client';
import { EventId, ProjectId, TeamId } from '@billing/contracts/ids';
import { eventExample } from '@billing/contracts/resources/event-data';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const env = { ...process.env, BILLING_API_KEY: 'bil_test_x' };

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('posts each event once and in order, from its start on, signed with the secret that it prints', async () => {
  const { stdout: printed } = await promisify(execFile)(process.execPath, [MAIN, '--print-secret'], { env });
  const secret = printed.trim();
  const events = Array.from({ length: 3 }, () => ({ ...eventExample('invoice.paid'), id: EventId.create() }));
  const [old, ...others] = events.map(event => [event]);
  const queries: URLSearchParams[] = [];
  using gateway = await startServer(({ url = '' }, response) => {
    const query = new URL(url, 'http://gateway').searchParams;
    queries.push(query);
    // As while the gateway is started again.
    const isUnavailable = queries.length === 3;
    if (isUnavailable) response.writeHead(503, { 'retry-after': '0' }).end();
    const page = !isUnavailable && (query.has('waitMs') ? others.shift() : old);
    // The last request waits for ever.
    if (page) response.end(JSON.stringify({ events: page, nextCursor: `c${queries.length}`, hasMore: false }));
  });
  const received: string[] = [];
  const verified = Promise.withResolvers<void>();
  using receiver = await startServer((request, response) => {
    const receive = async () => {
      const event = await verifyWebhook(await buffer(request), request.headers, secret);
      expect(request.url).toBe('/hook?x=1');
      received.push(event.id);
      // As some receivers do, unasked. What fails is told, and what follows is posted.
      response.writeContinue();
      response.writeHead(received.length === 1 ? 500 : 204).end();
      if (received.length === events.length) verified.resolve();
    };
    receive().catch(verified.reject);
  });
  const args = ['--team', TeamId.create(), '--project', ProjectId.create(), '--url', gateway.url];
  const listener = spawn(process.execPath, [MAIN, ...args, '--forward', `${receiver.url}/hook?x=1`], { env });
  const output = text(listener.stdout);
  await verified.promise.finally(() => listener.kill());
  const ids = events.map(({ id }) => id);
  expect(received).toEqual(ids);
  expect(await output).toContain(`invoice.paid ${ids[0]}: 500\ninvoice.paid ${ids[1]}: 204\n`);
  expect(queries[0]?.get('since')).toMatch(/^20/);
  expect(queries.slice(1, 4).map(query => [query.get('since'), query.get('cursor')])).toEqual([
    [null, 'c1'],
    [null, 'c2'],
    [null, 'c2'],
  ]);
});
