import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { createTestDatabase } from '@billing/testing/database';
import { testNatsUrl } from '@billing/testing/nats';
import { runs } from '@billing/testing/runs';
import { expect, it } from 'vitest';

/** All services start by the same code. */
const SAMPLE = SERVICES.slice(0, runs(SERVICES.length));
const ROOT = join(import.meta.dirname, '../../..');
/** No server listens on this address. */
const NOWHERE = '127.0.0.1:9';

it.each(SAMPLE)('%s names every missing variable', async service => {
  const { code, stderr } = await start(service, {});
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^\w+: Environment: (.*; )?PORT is (missing|wrong .*); DATABASE_URL is missing; NATS_URL is missing/,
  );
  expect(stderr).toContain('docs/configuration.md');
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

it.each(SAMPLE)('%s reports in one sentence that PostgreSQL cannot be reached', async service => {
  const DATABASE_URL = `postgres://billing_${service}:secret@${NOWHERE}/billing`;
  const { code, stderr } = await start(service, { ...complete(), DATABASE_URL });
  expect([code, stderr.trim()]).toEqual([
    1,
    `${service}: Cannot use PostgreSQL at ${NOWHERE}/billing as billing_${service}: connect ECONNREFUSED ${NOWHERE}. Start it, or correct DATABASE_URL.`,
  ]);
});

it.each(SAMPLE)('%s reports in one sentence that NATS cannot be reached', async service => {
  await using database = await createTestDatabase(service);
  const { code, stderr } = await start(service, {
    ...complete(),
    DATABASE_URL: database.url,
    NATS_URL: `nats://${NOWHERE}`,
  });
  expect(code).toBe(1);
  expect(stderr.trim()).toMatch(
    new RegExp(`^${service}: Cannot reach NATS at ${NOWHERE}: .+\\. Start it, or correct NATS_URL\\.$`),
  );
});

/** Returns the variables of all services together. */
function complete(): Record<string, string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const urls = SERVICES.map(service => [`${service.toUpperCase()}_URL`, `http://${NOWHERE}`]);
  return {
    PORT: '0',
    NATS_URL: testNatsUrl(),
    PUBLIC_URL: 'http://localhost:8080',
    IDENTITY_PRIVATE_KEY: Buffer.from(privateKey).toString('base64'),
    IDENTITY_PUBLIC_KEY: Buffer.from(publicKey).toString('base64'),
    AUTH_SECRET: randomBytes(32).toString('hex'),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    SERVICE_KEY: randomBytes(32).toString('base64'),
    SERVICE_KEYS: `webhooks:${randomBytes(32).toString('base64')}`,
    ...Object.fromEntries(urls),
  };
}

function start(service: ServiceName, env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  return new Promise(resolve => {
    const entry = join(ROOT, 'services', service, 'src/main.ts');
    const { NODE_COMPILE_CACHE } = process.env;
    const child = execFile(
      process.execPath,
      [entry],
      { env: { NODE_COMPILE_CACHE, ...env } },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode, stderr }),
    );
  });
}
