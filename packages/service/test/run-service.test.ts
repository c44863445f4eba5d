import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '../src/testing/identity.ts';
import { createStream } from '@billing/messaging/bus';
import { connectTestNats, testNatsUrl } from '@billing/testing/nats';
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

const environment = (databaseUrl: string) => ({
  PORT: '0',
  DATABASE_URL: databaseUrl,
  NATS_URL: testNatsUrl(),
  IDENTITY_PUBLIC_KEY: Buffer.from(testIdentity('portal').publicKey).toString('base64'),
});

const start = (env: Record<string, string>) =>
  spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
