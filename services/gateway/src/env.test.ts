import { generateKeyPairSync } from 'node:crypto';
import { parseEnv } from '@billing/service/env';
import { expect, it } from 'vitest';
import { gatewayEnv, serviceUrls } from './env.ts';

const pem = (kind: 'ed25519' | 'x25519') =>
  Buffer.from(
    generateKeyPairSync(kind as 'ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), // the overload for ed25519 also covers x25519
  ).toString('base64');
const urls = ['CATALOG', 'CUSTOMERS', 'SUBSCRIPTIONS', 'REFERRALS', 'ANALYTICS', 'WEBHOOKS', 'PORTAL'].map(
  (name, index) => [`${name}_URL`, `http://127.0.0.1:300${index}/`] as const,
);
const complete = {
  PORT: '8080',
  DATABASE_URL: 'postgres://localhost/billing',
  NATS_URL: 'nats://localhost',
  PUBLIC_URL: 'https://billing.example/',
  IDENTITY_PRIVATE_KEY: pem('ed25519'),
  AUTH_SECRET: 'x'.repeat(32),
  ...Object.fromEntries(urls),
};

it('has defaults for the documented rate limits', () => {
  const env = parseEnv(gatewayEnv, complete);
  expect(env).toMatchObject({
    PUBLIC_URL: 'https://billing.example',
    KEY_MODE: 'test',
    TRUST_PROXY: false,
    RATE_LIMIT_PER_KEY: 600,
    RATE_LIMIT_SESSION_CREATION: 60,
    RATE_LIMIT_SIGN_IN: 10,
    RATE_LIMIT_BAD_PORTAL_TOKENS: 20,
  });
  expect(serviceUrls(env)).toMatchObject({ catalog: 'http://127.0.0.1:3000', portal: 'http://127.0.0.1:3006' });
});

it.each([
  ['', false],
  ['1', 1],
  ['loopback, 10.0.0.0/8,::1', ['loopback', '10.0.0.0/8', '::1']],
])('parses TRUST_PROXY %j', (text, expected) => {
  expect(parseEnv(gatewayEnv, { ...complete, TRUST_PROXY: text }).TRUST_PROXY).toEqual(expected);
});

it.each([
  ['CATALOG_URL', undefined, 'CATALOG_URL is missing'],
  ['PORTAL_URL', 'ftp://x', 'PORTAL_URL is wrong'],
  ['AUTH_SECRET', 'short', 'AUTH_SECRET is wrong'],
  ['IDENTITY_PRIVATE_KEY', pem('x25519'), 'IDENTITY_PRIVATE_KEY is wrong'],
  ['IDENTITY_PRIVATE_KEY', 'AAAA', 'IDENTITY_PRIVATE_KEY is wrong'],
  ['TRUST_PROXY', 'yes', 'TRUST_PROXY is wrong'],
  ['TRUST_PROXY', '10.0.0.0/33', 'TRUST_PROXY is wrong'],
  ['RATE_LIMIT_SIGN_IN', '0', 'RATE_LIMIT_SIGN_IN is wrong'],
  ['KEY_MODE', 'prod', 'KEY_MODE is wrong'],
])('rejects %s with the value %j by name', (name, value, sentence) => {
  expect(() => parseEnv(gatewayEnv, { ...complete, [name]: value })).toThrow(sentence);
});
