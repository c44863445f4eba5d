import { generateKeyPairSync } from 'node:crypto';
import { parseEnv } from '@billing/service/env';
import { expect, it } from 'vitest';
import { gatewayEnv, mailSettings, serviceUrls } from './env.ts';

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
  PUBLIC_URL: 'http://billing.example/',
  IDENTITY_PRIVATE_KEY: pem('ed25519'),
  AUTH_SECRET: 'x'.repeat(32),
  ...Object.fromEntries(urls),
};

it('has defaults for the documented quotas and rate limits', () => {
  const env = parseEnv(gatewayEnv, complete);
  expect(env).toMatchObject({
    PUBLIC_URL: 'http://billing.example',
    KEY_MODE: 'test',
    TRUST_PROXY: false,
    QUOTA_PROJECTS: 20,
    RATE_LIMIT_PER_KEY: 600,
    RATE_LIMIT_PER_TEAM: 2_000,
    RATE_LIMIT_WEBHOOK_EVENTS: 500,
    RATE_LIMIT_SCALE: 1,
    MAX_BODY_BYTES_IN_FLIGHT: 134_217_728,
    MAX_CONNECTIONS: 10_000,
  });
  expect(serviceUrls(env)).toMatchObject({ catalog: 'http://127.0.0.1:3000', portal: 'http://127.0.0.1:3006' });
});

it.each([
  [{}, undefined],
  [{ SMTP_URL: '' }, undefined],
  [{ SMTP_URL: 'smtp://mail' }, { smtpUrl: 'smtp://mail', from: 'billing@billing.example' }],
  [
    { SMTP_URL: 'smtps://mail', SMTP_FROM: 'a@b.co' },
    { smtpUrl: 'smtps://mail', from: 'a@b.co' },
  ],
])('sends mail by %j', (variables, expected) => {
  expect(mailSettings(parseEnv(gatewayEnv, { ...complete, ...variables }))).toEqual(expected);
});

it.each([
  ['', false],
  ['1', 1],
  ['loopback, 10.0.0.0/8,::1', ['loopback', '10.0.0.0/8', '::1']],
  ['uniquelocal 10.0.0.0/8 ', ['uniquelocal', '10.0.0.0/8']],
])('parses TRUST_PROXY %j', (text, expected) => {
  expect(parseEnv(gatewayEnv, { ...complete, TRUST_PROXY: text }).TRUST_PROXY).toEqual(expected);
});

it.each([
  ['PUBLIC_URL', 'https://billing.example/base', 'PUBLIC_URL is wrong (Expected an address without path'],
  ['CATALOG_URL', undefined, 'CATALOG_URL is missing'],
  ['PORTAL_URL', 'ftp://x', 'PORTAL_URL is wrong'],
  ['AUTH_SECRET', 'short', 'AUTH_SECRET is wrong'],
  ['IDENTITY_PRIVATE_KEY', pem('x25519'), 'IDENTITY_PRIVATE_KEY is wrong'],
  ['IDENTITY_PRIVATE_KEY', 'AAAA', 'IDENTITY_PRIVATE_KEY is wrong'],
  ['TRUST_PROXY', 'yes', 'TRUST_PROXY is wrong'],
  ['TRUST_PROXY', '10.0.0.0/33', 'TRUST_PROXY is wrong'],
  ['RATE_LIMIT_PER_KEY', '0', 'RATE_LIMIT_PER_KEY is wrong'],
  ['RATE_LIMIT_SCALE', '0', 'RATE_LIMIT_SCALE is wrong'],
  ['QUOTA_PROJECTS', '0', 'QUOTA_PROJECTS is wrong'],
  ['SMTP_URL', 'https://mail.example', 'SMTP_URL is wrong'],
  ['KEY_MODE', 'prod', 'KEY_MODE is wrong'],
])('rejects %s with the value %j by name', (name, value, sentence) => {
  expect(() => parseEnv(gatewayEnv, { ...complete, [name]: value })).toThrow(sentence);
});

it('takes no number of proxies where others than they reach its port', () => {
  for (const [host, trusted] of [
    ['0.0.0.0', '1'],
    ['::', '2'],
    ['10.0.0.5', '1'],
  ])
    expect(() => parseEnv(gatewayEnv, { ...complete, HOST: host, TRUST_PROXY: trusted })).toThrow(
      /TRUST_PROXY is wrong \(HOST is reached/,
    );
  for (const [host, trusted] of [
    ['127.0.0.1', '1'],
    ['::1', '1'],
    ['localhost', '1'],
    ['0.0.0.0', '0'],
    ['0.0.0.0', 'loopback'],
  ])
    expect(() => parseEnv(gatewayEnv, { ...complete, HOST: host, TRUST_PROXY: trusted })).not.toThrow();
});

it('S50: needs to know the proxies in front of an https address', () => {
  const secure = { ...complete, PUBLIC_URL: 'https://billing.example' };
  for (const settings of [secure, { ...secure, TRUST_PROXY: '' }])
    expect(() => parseEnv(gatewayEnv, settings)).toThrow(/TRUST_PROXY is (missing|wrong) \(PUBLIC_URL is https/);
  for (const trusted of ['1', 'loopback', '0'])
    expect(() => parseEnv(gatewayEnv, { ...secure, TRUST_PROXY: trusted })).not.toThrow();
});
