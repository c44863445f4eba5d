import { expect, it } from 'vitest';
import { httpOrigin, parseEnv, processorEnv, serviceEnv } from '../src/env.ts';
import { isDatabaseUnavailable } from '@billing/database/database';

it('names every missing or wrong variable in one sentence', () => {
  const source = { PORT: 'eighty', DATABASE_URL: 'postgres://a@b/c', IDENTITY_PUBLIC_KEY: 'aGk=' };
  expect(() => parseEnv(serviceEnv, source)).toThrow(
    /^Environment: PORT is wrong \(.*\); NATS_URL is missing\. Set it/,
  );
});

it('refuses settings of TLS that would not be used', () => {
  const DATABASE_URL = 'postgres://a@b/c';
  const schema = serviceEnv.pick({ DATABASE_URL: true });
  expect(() => parseEnv(schema, { DATABASE_URL, PGSSLMODE: 'require' })).toThrow(
    'PGSSLMODE would not be used. Say it in DATABASE_URL',
  );
  expect(parseEnv(schema, { DATABASE_URL, PGSSLMODE: '', PGHOST: 'x' })).toEqual({ DATABASE_URL });
  const wrong = { DATABASE_URL: `${DATABASE_URL}?sslmode=prefer` };
  expect(() => parseEnv(schema, wrong)).toThrow(/DATABASE_URL is wrong \(In the URL of PostgreSQL sslmode=prefer/);
  expect(() => parseEnv(serviceEnv.pick({ NATS_URL: true }), { NATS_URL: 'nats://b?ca=/x' })).toThrow(
    /NATS_URL is wrong \(In the URL of NATS ca/,
  );
});

it('treats an empty STRIPE_API_BASE_URL as absent, and requires a key of 32 bytes', () => {
  const key = Buffer.alloc(32).toString('base64');
  expect(parseEnv(processorEnv, { STRIPE_API_BASE_URL: '', SERVICE_KEY: key }).STRIPE_API_BASE_URL).toBeUndefined();
  expect(() => parseEnv(processorEnv, { SERVICE_KEY: 'c2hvcnQ=' })).toThrow(/SERVICE_KEY is wrong/);
});

it('takes the origin of a public address, and refuses what would not be used of it', () => {
  expect(httpOrigin.parse('https://Billing.example.com:443/')).toBe('https://billing.example.com');
  expect(httpOrigin.parse('http://localhost:8080')).toBe('http://localhost:8080');
  for (const rest of ['/billing', '/billing/', '//', '/?a=b', '?', '/#top'])
    expect(httpOrigin.safeParse(`https://billing.example.com${rest}`).error?.issues[0]?.message).toBe(
      'Expected an address without path, query or user, such as https://billing.example.com; give the gateway a host name of its own',
    );
  for (const other of ['https://a:b@billing.example.com', 'ftp://billing.example.com', 'billing.example.com', ''])
    expect(httpOrigin.safeParse(other).success).toBe(false);
});

it.each([
  [Object.assign(new Error('terminating connection'), { code: '57P01' }), true],
  [new Error('wrapped', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }), true],
  [new Error('timeout exceeded when trying to connect'), true],
  [new Error('driver has already been destroyed'), true],
  [new Error('Cannot use a pool after calling end on the pool'), true],
  [Object.assign(new Error('duplicate key'), { code: '23505' }), false],
  [new Error('a bug'), false],
])('distinguishes an unreachable database from other errors (%s)', (error, expected) => {
  expect(isDatabaseUnavailable(error)).toBe(expected);
});
