import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import type { ServiceName } from '@billing/contracts/operation';
import { pemInBase64, serviceEnv } from '@billing/service/env';
import { z } from 'zod';
import type { RateLimitSettings } from '#auth/rate-limits.ts';
import { KEY_MODES } from '#domain/api-key-secret.ts';

const httpUrl = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''));
const trustedProxies = z.union([
  z.literal('').transform((): false => false),
  z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number),
  z
    .string()
    .transform(list => list.split(',').map(network => network.trim()))
    .refine(networks => networks.every(isNetwork), 'Expected a number of proxies or a list of networks.'),
]);
const perMinute = (limit: number) => z.coerce.number().int().min(1).default(limit);

/** The gateway's environment. It signs identity tokens, so it has the private key and, unlike the services, no public one. */
export const gatewayEnv = serviceEnv.omit({ IDENTITY_PUBLIC_KEY: true }).extend({
  /** The URL that callers use, for example https://billing.example.com; decides cookie flags and the allowed origin. */
  PUBLIC_URL: httpUrl,
  /** Ed25519, PKCS #8 PEM in base64. */
  IDENTITY_PRIVATE_KEY: pemInBase64.refine(isEd25519, 'Expected an Ed25519 private key, PKCS #8 PEM in base64.'),
  /** Signs session cookies and derives the secrets of repeatable requests for API keys. */
  AUTH_SECRET: z.string().min(32),
  CATALOG_URL: httpUrl,
  CUSTOMERS_URL: httpUrl,
  SUBSCRIPTIONS_URL: httpUrl,
  REFERRALS_URL: httpUrl,
  ANALYTICS_URL: httpUrl,
  WEBHOOKS_URL: httpUrl,
  PORTAL_URL: httpUrl,
  /** The prefix of new API keys: `bil_test_…` or `bil_live_…`. */
  KEY_MODE: z.enum(KEY_MODES).default('test'),
  /** How many proxies are in front (1, 2, …) or their networks (10.0.0.0/8, loopback); empty: none is trusted. */
  TRUST_PROXY: trustedProxies.default(false),
  RATE_LIMIT_PER_KEY: perMinute(600),
  RATE_LIMIT_SESSION_CREATION: perMinute(60),
  RATE_LIMIT_SIGN_IN: perMinute(10),
  RATE_LIMIT_BAD_PORTAL_TOKENS: perMinute(20),
});
type GatewayEnv = z.output<typeof gatewayEnv>;

/** Where each service listens. */
export type ServiceUrls = Readonly<Record<Exclude<ServiceName, 'gateway'>, string>>;

export const serviceUrls = (env: GatewayEnv): ServiceUrls => ({
  catalog: env.CATALOG_URL,
  customers: env.CUSTOMERS_URL,
  subscriptions: env.SUBSCRIPTIONS_URL,
  referrals: env.REFERRALS_URL,
  analytics: env.ANALYTICS_URL,
  webhooks: env.WEBHOOKS_URL,
  portal: env.PORTAL_URL,
});

export const rateLimitSettings = (env: GatewayEnv): RateLimitSettings => ({
  perKey: env.RATE_LIMIT_PER_KEY,
  sessionCreation: env.RATE_LIMIT_SESSION_CREATION,
  signIn: env.RATE_LIMIT_SIGN_IN,
  badPortalTokens: env.RATE_LIMIT_BAD_PORTAL_TOKENS,
});

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const width = isIP(address) === 6 ? 128 : 32;
  return isIP(address) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width));
}
