import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PriceId, PriceMigrationId, ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';

const source = (file: string) => join(import.meta.dirname, '../src', file);
const id = SyncId.create();
const counts = { same: 0, missing: 2, different: 0, extra: 0, conflict: 0, skipped: 0, applied: 0 };
const sync = {
  id,
  types: ['customer'],
  status: 'completed',
  progress: { customer: { read: 2, total: 2 } },
  counts: { customer: counts },
  error: null,
};

const priceMigration = {
  id: PriceMigrationId.create(),
  status: 'completed',
  progress: { done: 1, total: 1 },
  counts: { to_change: 1, scheduled: 0, skipped: 0, failed: 0 },
  error: null,
};
const finding = {
  subscriptionId: 'ps_1',
  currency: 'usd',
  oldAmount: '1200',
  newAmount: '1500',
  effectiveAt: '2026-05-01T00:00:00.000Z',
  outcome: 'to_change',
  reason: null,
  error: null,
};

/** A gateway that knows one sync and one price migration, and does not respond to the first `failures` requests about it. */
async function startGateway(failures: number) {
  let left = failures;
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(body));
  const server = createServer(({ method, url = '' }, response) => {
    if (url.includes('/findings'))
      return send(response, 200, {
        findings: url.includes('/price-migrations') ? [finding] : [],
        pagination: { limit: 1, offset: 0, total: 3, totalIsExact: true, hasMore: false, nextCursor: null },
      });
    const works = { sync, priceMigration };
    if (method === 'POST') return send(response, 202, works);
    if (left === 0) return send(response, 200, works);
    left -= 1;
    return send(response, 503, { error: { code: 'unavailable', message: 'The service does not respond.' } });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
}

async function run(file: string, failures: number, more: readonly string[] = []) {
  using gateway = await startGateway(failures);
  const args = [
    source(file),
    '--team',
    TeamId.create(),
    '--project',
    ProjectId.create(),
    '--url',
    gateway.url,
    ...more,
  ];
  const env = { ...process.env, BILLING_API_KEY: 'bil_test_x' };
  return await promisify(execFile)(process.execPath, args, { env });
}

it('follows a sync while services restart, and names it at once', async () => {
  const { stdout, stderr } = await run('main.ts', 5);
  expect(stdout).toMatch(/^customer +0 +2 /m);
  expect(stderr).toContain(`${id} has been started`);
});

it('follows a price migration, and prints what becomes of subscriptions', async () => {
  const prices = ['--from', PriceId.create(), '--to', PriceId.create()];
  const { stdout, stderr } = await run('migrate-prices.ts', 1, prices);
  expect(stdout).toMatch(/^to_change +ps_1 +\$12\.00 +\$15\.00 +2026-05-01$/m);
  expect(stdout).toContain('… and 2 more');
  expect(stderr).toContain(`${priceMigration.id} has been started`);
});
