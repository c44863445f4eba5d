import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../src/main.ts');
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

/** A gateway that knows one sync, and does not respond to the first `failures` requests about it. */
async function startGateway(failures: number) {
  let left = failures;
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(body));
  const server = createServer(({ method, url = '' }, response) => {
    if (url.includes('/findings'))
      return send(response, 200, {
        findings: [],
        pagination: { limit: 1, offset: 0, total: 0, totalIsExact: true, hasMore: false, nextCursor: null },
      });
    if (method === 'POST') return send(response, 202, { sync: { ...sync, status: 'queued' } });
    if (left === 0) return send(response, 200, { sync });
    left -= 1;
    return send(response, 503, { error: { code: 'unavailable', message: 'The webhooks service does not respond.' } });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
}

it('follows a sync while services restart, and names it at once', async () => {
  using gateway = await startGateway(5);
  const args = [MAIN, '--team', TeamId.create(), '--project', ProjectId.create(), '--url', gateway.url];
  const env = { ...process.env, BILLING_API_KEY: 'bil_test_x' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/^customer +0 +2 /m);
  expect(stderr).toContain(`${id} has been started`);
});
