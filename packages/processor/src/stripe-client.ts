import https from 'node:https';
import { Stripe } from 'stripe';
import { pathWithoutIds } from '@billing/contracts/path-without-ids';
import { ATTEMPT_MS } from './retries.ts';

/** The API version that the library pins; every object is requested in it. */
export const API_VERSION = Stripe.API_VERSION;

/** Called when a request has a response, or failed. */
export type OnCall = (call: ProcessorCall) => void;

/** One request to the processor. */
export interface ProcessorCall {
  readonly method: string;
  /** Without ids: `/v1/customers/:id`. */
  readonly route: string;
  /** Null when no response came. */
  readonly status: number | null;
  /** Until the head of the response, in milliseconds. */
  readonly ms: number;
}

/**
 * Creates a client with one team's secret key; `baseUrl` replaces Stripe's address. By https it uses Node's own agent, which the
 * process has told of a proxy.
 */
export function stripeClient(secretKey: string, baseUrl?: string, onCall?: OnCall): Stripe {
  const server = baseUrl ? hostOf(baseUrl) : undefined;
  const agent = server?.protocol === 'http' ? undefined : https.globalAgent;
  return new Stripe(secretKey, {
    timeout: ATTEMPT_MS,
    maxNetworkRetries: 0, // `withRetries` retries, also after 429 and within the time of a request
    telemetry: false,
    appInfo: { name: 'billing' },
    httpClient: canonicalClient(Stripe.createNodeHttpClient(agent), onCall),
    ...server,
  });
}

/**
 * Sends the fields of a body in one order, whatever order the caller's object has: Stripe refuses an idempotency key that
 * comes again with another body, and the operation log stores parameters in `jsonb`, which keeps no order.
 * https://docs.stripe.com/api/idempotent_requests
 */
function canonicalClient(client: ReturnType<typeof Stripe.createNodeHttpClient>, onCall: OnCall = () => undefined) {
  const send = client.makeRequest.bind(client);
  const makeRequest: typeof send = async (host, port, path, method, headers, body, protocol, timeout) => {
    const startedAt = performance.now();
    const report = (status: number | null) =>
      onCall({ method, route: pathWithoutIds(path.split('?', 1)[0] ?? ''), status, ms: performance.now() - startedAt });
    try {
      const sorted = body && sortedFields(body);
      const response = await send(host, port, path, method, headers, sorted, protocol, timeout);
      report(response.getStatusCode());
      return response;
    } catch (err) {
      report(null);
      throw err;
    }
  };
  return Object.assign(client, { makeRequest });
}

/** Lists carry an index in each field's name, so their order stays. */
const sortedFields = (body: string) => body.split('&').toSorted().join('&');

function hostOf(baseUrl: string) {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' } as const;
}
