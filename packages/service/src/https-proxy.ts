import https from 'node:https';
import { z } from 'zod';
import { withMaxAge } from './connection-age.ts';

/** As long as Node's own agent: how long a connection may be idle, and a proxy take to open a tunnel; in milliseconds. */
const IDLE_MS = 5_000;

const proxyUrl = z
  .literal('')
  .or(z.url({ protocol: /^https?$/, error: 'Expected the address of an HTTP proxy, such as http://proxy:3128' }))
  .optional();

/** The variables of a proxy; those in lower case count first, as for curl. */
export const httpsProxyEnv = z.object({
  HTTPS_PROXY: proxyUrl,
  https_proxy: proxyUrl,
  /** Hosts that are reached without it: `localhost,.internal.example,10.0.0.1-10.0.0.9`. */
  NO_PROXY: z.string().optional(),
  no_proxy: z.string().optional(),
});

/**
 * Has the https requests of Node's own agent, with which Stripe is called, go through the proxy of these variables, and end their
 * connections as {@link withMaxAge} says. All other requests stay inside of the installation, or must not take the proxy.
 */
export function useHttpsProxy(proxyEnv: z.output<typeof httpsProxyEnv>): void {
  const options = { keepAlive: true, scheduling: 'lifo', timeout: IDLE_MS } as const;
  https.globalAgent = withMaxAge(new https.Agent({ ...options, proxyEnv }));
}
