import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '../src/testing/identity.ts';
import { createStream } from '@billing/messaging/bus';
import { connectTestNats, testNatsUrl } from '@billing/testing/nats';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';

it('names missing variables in one line and exits with code 1', async () => {
  const process = start({ PORT: '0' });
  const [output, [code]] = await Promise.all([text(process.stderr), once(process, 'exit')]);
  expect(output).toMatch(/^portal: Environment: DATABASE_URL is missing; NATS_URL is missing;.*\n$/);
  expect(code).toBe(1);
});

it('says in one line that PostgreSQL cannot be reached', async () => {
  await using database = await createTestDatabase('portal');
  const process = start(environment(database.url.replace(/:test@/, ':wrong@').replace(/:\d+\//, ':1/')));
  const [output, [code]] = await Promise.all([text(process.stderr), once(process, 'exit')]);
  expect(output).toMatch(/^portal: Cannot use PostgreSQL at .* Start it, or correct DATABASE_URL\.\n$/);
  expect(code).toBe(1);
});

it('starts, and closes on SIGTERM with code 0', async () => {
  const nats = await connectTestNats();
  await createStream(nats).finally(() => nats.close());
  await using database = await createTestDatabase('portal');
  const process = start(environment(database.url));
  const lines: string[] = [];
  const started = Promise.withResolvers<void>();
  process.stdout.on('data', (chunk: Buffer) => {
    lines.push(String(chunk));
    if (lines.join('').includes('service started')) started.resolve();
  });
  await started.promise;
  process.kill('SIGTERM');
  const [code] = await once(process, 'exit');
  expect(code).toBe(0);
  expect(lines.join('')).toContain('service stopping');
});

it('says that it closes before it stops serving', async () => {
  const nats = await connectTestNats();
  await createStream(nats).finally(() => nats.close());
  await using database = await createTestDatabase('portal');
  const port = await findFreePort();
  const process = start({ ...environment(database.url), PORT: `${port}`, CLOSE_DELAY_SECONDS: '2' });
  const exit = once(process, 'exit');
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  await waitFor(async () => (await get('/health/ready')).ok, { what: 'the service' });
  expect((await get('/health/live')).headers.get('connection')).toBe('keep-alive');
  process.kill('SIGTERM');

  const ready = await waitFor(async () => get('/health/ready').then(response => (response.ok ? undefined : response)), {
    what: 'the service to be unready',
  });
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'closing' }]);
  const live = await get('/health/live');
  expect([live.status, live.headers.get('connection'), await live.json()]).toEqual([
    200,
    'close',
    { status: 'closing' },
  ]);
  // Requests are still served; this one lacks a token.
  expect((await get('/api/greeting')).status).toBe(401);
  expect((await exit)[0]).toBe(0);
});

const environment = (databaseUrl: string) => ({
  PORT: '0',
  DATABASE_URL: databaseUrl,
  NATS_URL: testNatsUrl(),
  IDENTITY_PUBLIC_KEY: Buffer.from(testIdentity('portal').publicKey).toString('base64'),
});

const start = (env: Record<string, string>) => {
  const { NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};
