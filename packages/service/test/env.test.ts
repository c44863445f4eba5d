import { expect, it } from 'vitest';
import { parseEnv, processorEnv, serviceEnv } from '../src/env.ts';
import { isDatabaseUnavailable } from '../src/database.ts';

it('names every variable that is missing or wrong, in one sentence', () => {
  const source = { PORT: 'eighty', DATABASE_URL: 'postgres://a@b/c', IDENTITY_PUBLIC_KEY: 'aGk=' };
  expect(() => parseEnv(serviceEnv, source)).toThrow(
    /^Environment: PORT is wrong \(.*\); NATS_URL is missing\. Set it/,
  );
});

it('takes an empty STRIPE_API_BASE_URL for none, and a key of 32 bytes only', () => {
  const key = Buffer.alloc(32).toString('base64');
  expect(parseEnv(processorEnv, { STRIPE_API_BASE_URL: '', CREDENTIALS_KEY: key }).STRIPE_API_BASE_URL).toBeUndefined();
  expect(() => parseEnv(processorEnv, { CREDENTIALS_KEY: 'c2hvcnQ=' })).toThrow(/CREDENTIALS_KEY is wrong/);
});

it.each([
  [Object.assign(new Error('terminating connection'), { code: '57P01' }), true],
  [new Error('wrapped', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }), true],
  [new Error('timeout exceeded when trying to connect'), true],
  [Object.assign(new Error('duplicate key'), { code: '23505' }), false],
  [new Error('a bug'), false],
])('tells an unreachable database from a fault (%s)', (error, expected) => {
  expect(isDatabaseUnavailable(error)).toBe(expected);
});
