import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import type { ServiceName } from '@billing/contracts/operation';
import { httpOrigin, pemInBase64, serviceEnv } from '@billing/service/env';
import { z } from 'zod';
import { isLocalUrl, isLoopback } from '#domain/addresses.ts';
import { KEY_MODES } from '#domain/api-key-secret.ts';
import { SIGN_UP_POLICIES, type SignUpPolicy } from '#domain/sign-up-policy.ts';

const httpUrl = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''));
const trustedProxies = z.union([
  z.literal('').transform((): false => false),
  z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number),
  z
    .string()
    .transform(list => list.split(/[\s,]+/).filter(network => network !== ''))
    .refine(networks => networks.every(isNetwork), 'Expected a number of proxies or a list of networks.'),
]);
const limitOf = (limit: number) => z.coerce.number().int().min(1).max(100_000_000).default(limit);

/** The gateway itself speaks http, so an https address is a proxy's; unless it is trusted, all callers have its address. */
const PROXY_NEEDED =
  'PUBLIC_URL is https, so a proxy is in front: set the networks of the proxies; 0 if they send no X-Forwarded-For';
/** Whoever reaches the port without the proxies could name any address. */
const NETWORKS_NEEDED =
  'HOST is reached by more than this machine, so a number of proxies proves nothing: set their networks';

const variables = serviceEnv.omit({ IDENTITY_PUBLIC_KEY: true }).extend({
  /** The URL that callers use, for example https://billing.example.com; decides cookie flags and the allowed origin. */
  PUBLIC_URL: httpOrigin,
  /** Ed25519, PKCS #8 PEM in base64. */
  IDENTITY_PRIVATE_KEY: pemInBase64.refine(isEd25519, 'Expected an Ed25519 private key, PKCS #8 PEM in base64.'),
  /** Signs session cookies and derives the secrets of repeatable requests for API keys. */
  AUTH_SECRET: z.string().min(32),
  /** The mail server for links to confirm an address or reset a password; empty: only an operator makes the latter. */
  SMTP_URL: z.union([z.literal(''), z.url({ protocol: /^smtps?$/ })]).default(''),
  /** Who may register: anyone, who has the link of an invitation, or nobody. */
  SIGN_UP: z.union([z.literal('').transform(() => undefined), z.enum(SIGN_UP_POLICIES)]).optional(),
  /** The sender of these mails; by default `billing@` the host of PUBLIC_URL. */
  SMTP_FROM: z.string().max(254).default(''),
  CATALOG_URL: httpUrl,
  CUSTOMERS_URL: httpUrl,
  SUBSCRIPTIONS_URL: httpUrl,
  REFERRALS_URL: httpUrl,
  ANALYTICS_URL: httpUrl,
  WEBHOOKS_URL: httpUrl,
  PORTAL_URL: httpUrl,
  /** The prefix of new API keys in teams without a processor account: `bil_test_…` or `bil_live_…`. */
  KEY_MODE: z.enum(KEY_MODES).default('test'),
  /** The networks of the proxies (10.0.0.0/8, loopback), or how many there are (1, 2, …); empty: none is trusted. */
  TRUST_PROXY: trustedProxies.default(false),
  /** Projects of a team. */
  QUOTA_PROJECTS: limitOf(20),
  /** Requests a minute of an API key, of a session and of a user. */
  RATE_LIMIT_PER_KEY: limitOf(600),
  /** Requests a minute with all credentials of a team. */
  RATE_LIMIT_PER_TEAM: limitOf(2_000),
  /** Webhooks a second of a team. */
  RATE_LIMIT_WEBHOOK_EVENTS: limitOf(500),
  /** What the limits are multiplied by that have no variable, such as that on sign-ins. */
  RATE_LIMIT_SCALE: z.coerce.number().min(1).max(100_000_000).default(1),
  /** Bytes of request bodies in memory at the same time. */
  MAX_BODY_BYTES_IN_FLIGHT: z.coerce.number().int().min(8_388_608).default(134_217_728),
  MAX_CONNECTIONS: z.coerce.number().int().min(1).default(10_000),
  /** Of one address, unless it is a trusted proxy. */
  MAX_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(1).default(1_000),
});

/** The gateway's environment. It signs identity tokens, so it has the private key and, unlike the services, no public one. */
export const gatewayEnv = variables.check(({ value, issues }) => {
  const { HOST: host, PUBLIC_URL: publicUrl, TRUST_PROXY: input } = value;
  const refuse = (message: string) => issues.push({ code: 'custom', path: ['TRUST_PROXY'], input, message });
  if (publicUrl.startsWith('https:') && input === false) refuse(PROXY_NEEDED);
  if (typeof input === 'number' && input > 0 && host !== 'localhost' && !isLoopback(host)) refuse(NETWORKS_NEEDED);
});
export type GatewayEnv = z.output<typeof gatewayEnv>;

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

/** Open by default where only this machine gets in. */
export const signUpPolicy = ({ SIGN_UP: set, PUBLIC_URL: publicUrl }: GatewayEnv): SignUpPolicy =>
  set ?? (isLocalUrl(publicUrl) ? 'open' : 'invited');

/** The mail server and the sender; undefined when no mail is sent. */
export const mailSettings = ({ SMTP_URL: smtpUrl, SMTP_FROM: from, PUBLIC_URL: publicUrl }: GatewayEnv) =>
  smtpUrl === '' ? undefined : { smtpUrl, from: from || `billing@${new URL(publicUrl).hostname}` };

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
