import { expect, it } from 'vitest';
import { parseEnv, processorEnv, serviceEnv } from '../src/env.ts';
import { isDatabaseUnavailable } from '@billing/database/database';

it('names every missing or wrong variable in one sentence', () => {
  const source = { PORT: 'eighty', DATABASE_URL: 'postgres://a@b/c', IDENTITY_PUBLIC_KEY: 'aGk=' };
  expect(() => parseEnv(serviceEnv, source)).toThrow(
    /^Environment: PORT is wrong \(.*\); NATS_URL is missing\. Set it/,
  );
});

it('treats an empty STRIPE_API_BASE_URL as absent, and requires a key of 32 bytes', () => {
  const key = Buffer.alloc(32).toString('base64');
  expect(parseEnv(processorEnv, { STRIPE_API_BASE_URL: '', SERVICE_KEY: key }).STRIPE_API_BASE_URL).toBeUndefined();
  expect(() => parseEnv(processorEnv, { SERVICE_KEY: 'c2hvcnQ=' })).toThrow(/SERVICE_KEY is wrong/);
});

it.each([
  [Object.assign(new Error('terminating connection'), { code: '57P01' }), true],
  [new Error('wrapped', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }), true],
  [new Error('timeout exceeded when trying to connect'), true],
  [Object.assign(new Error('duplicate key'), { code: '23505' }), false],
  [new Error('a bug'), false],
])('distinguishes an unreachable database from other errors (%s)', (error, expected) => {
  expect(isDatabaseUnavailable(error)).toBe(expected);
});
