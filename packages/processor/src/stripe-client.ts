import { Stripe } from 'stripe';
import { ATTEMPT_MS } from './retries.ts';

/** The API version that the library pins, and in which every object is asked for. */
export const API_VERSION = Stripe.API_VERSION;

/** A client of the processor with one team's key; `baseUrl` points it elsewhere than the real Stripe. */
export function stripeClient(secretKey: string, baseUrl?: string): Stripe {
  return new Stripe(secretKey, {
    timeout: ATTEMPT_MS,
    maxNetworkRetries: 0, // retried by `withRetries`, which knows the budget of a request and 429
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
