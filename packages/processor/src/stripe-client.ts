import { Stripe } from 'stripe';
import { ATTEMPT_MS } from './retries.ts';

/** The API version that the library pins; every object is requested in it. */
export const API_VERSION = Stripe.API_VERSION;

/** Creates a client with one team's secret key; `baseUrl` replaces Stripe's address. */
export function stripeClient(secretKey: string, baseUrl?: string): Stripe {
  return new Stripe(secretKey, {
    timeout: ATTEMPT_MS,
    maxNetworkRetries: 0, // `withRetries` retries, also after 429 and within the time of a request
    telemetry: false,
    appInfo: { name: 'billing' },
    ...(baseUrl && hostOf(baseUrl)),
  });
}

function hostOf(baseUrl: string) {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' } as const;
}
