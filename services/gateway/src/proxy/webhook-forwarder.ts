import { request as httpRequest } from 'node:http';
import type { Request } from 'express';
import {
  BUNDLE_BYTES,
  BUNDLE_SIZE,
  bundleResponse,
  DELIVERIES_PATH,
  encodeBundle,
  type Delivery,
  type DeliveryResponse,
} from '@billing/contracts/delivery-bundle';
import { unavailable } from '@billing/contracts/problem';
import { currentTrace } from '@billing/tracing/trace-carrier';
import { startClientSpan } from '@billing/service/http-spans';
import { IDENTITY_HEADER } from '@billing/service/identity-token';
import type { IdentityTokenFor } from '#auth/identity-tokens.ts';
import { checkBodyHeaders, readBody } from '#http/request-body.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { WebhookQuota } from '#limits/webhook-quota.ts';
import { keepConnections } from './service-connections.ts';
import { identityRejected, serviceUnavailable } from './service-proxy.ts';

/** Concurrent requests to the webhooks service: while it stores one bundle, the next one fills. */
const MAX_CONCURRENT_BUNDLES = 3;
/** Queued deliveries; further ones get 503. */
const MAX_QUEUED = 4_096;
/** Bytes of the queued bodies. */
const MAX_QUEUED_BYTES = 64 * 1_048_576;
const SENDER = { principal: { kind: 'anonymous' }, caller: null } as const;

interface QueuedDelivery {
  readonly delivery: Delivery;
  readonly resolve: (response: DeliveryResponse) => void;
  readonly reject: (err: unknown) => void;
}

interface Dependencies {
  /** Where the webhooks service listens. */
  readonly url: string;
  readonly tokenFor: IdentityTokenFor;
  readonly quota: WebhookQuota;
  readonly responseTimeoutMs: number;
}

/** Forwards webhooks to the service that stores them. */
export interface WebhookForwarder {
  /**
   * Forwards a team's webhook, and sends the service's response to the caller.
   * @throws Problem 413, 415 for the body; 429 when the team's quota is used up; 503 when the service does not respond or the queue is full
   */
  forward(request: Request, response: GatewayResponse, teamId: string): Promise<void>;
  close(): void;
}

/**
 * Forwards webhooks in bundles, because they come in bursts: those that arrive while earlier bundles are in flight
 * share one request and one commit. Each gets its own response, and a single webhook is sent at once.
 */
export function openWebhookForwarder({ url, tokenFor, quota, responseTimeoutMs }: Dependencies): WebhookForwarder {
  // In turn, so that each copy of the service behind them gets its share.
  const agent = keepConnections({ maxFreeSockets: MAX_CONCURRENT_BUNDLES, scheduling: 'fifo' });
  let queue: QueuedDelivery[] = [];
  let queuedBytes = 0;
  let bundlesInFlight = 0;

  function enqueue(delivery: Delivery): Promise<DeliveryResponse> {
    if (queue.length >= MAX_QUEUED || queuedBytes > MAX_QUEUED_BYTES)
      throw unavailable('Too many webhooks are waiting to be stored.', 5);
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryResponse>();
    const timer = setTimeout(() => reject(serviceUnavailable('webhooks')), responseTimeoutMs);
    queue.push({ delivery, resolve, reject });
    queuedBytes += delivery.body.length;
    // Deliveries of the same turn of the event loop share a bundle.
    if (queue.length === 1) setImmediate(sendBundles);
    return promise.finally(() => clearTimeout(timer));
  }

  function sendBundles(): void {
    while (bundlesInFlight < MAX_CONCURRENT_BUNDLES && queue.length > 0) {
      const bundle = queue.slice(0, nextBundleSize(queue));
      queue = queue.slice(bundle.length);
      for (const { delivery } of bundle) queuedBytes -= delivery.body.length;
      bundlesInFlight += 1;
      void send(bundle).finally(() => {
        bundlesInFlight -= 1;
        sendBundles();
      });
    }
  }

  async function send(bundle: readonly QueuedDelivery[]): Promise<void> {
    try {
      const responses = await post(bundle.map(({ delivery }) => delivery));
      for (const [index, response] of responses.entries()) bundle[index]?.resolve(response);
    } catch (err) {
      for (const { reject } of bundle) reject(err);
    }
  }

  /** @throws Problem 503 when the service does not respond, or breaks the contract */
  async function post(bundle: readonly Delivery[]): Promise<DeliveryResponse[]> {
    const body = encodeBundle(bundle);
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryResponse[]>();
    const span = startClientSpan({ method: 'POST', url: DELIVERIES_PATH });
    const headers = {
      ...span.headers,
      'content-type': 'application/octet-stream',
      'content-length': body.length,
      [IDENTITY_HEADER]: tokenFor('webhooks', SENDER, { method: 'POST', path: DELIVERIES_PATH }),
    };
    const fail = (cause: unknown) => {
      span.end(null);
      reject(serviceUnavailable('webhooks', cause));
    };
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const outgoing = httpRequest(`${url}${DELIVERIES_PATH}`, { method: 'POST', agent, headers, signal }, response => {
      span.end(response.statusCode ?? null);
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        if (response.statusCode === 401) return reject(identityRejected('webhooks'));
        if (response.statusCode !== 200) return fail(new Error(`A bundle got status ${response.statusCode}.`));
        try {
          resolve(parseResponses(Buffer.concat(chunks), bundle.length));
        } catch (err) {
          fail(err);
        }
      });
    });
    outgoing.on('error', fail);
    outgoing.end(body);
    return promise;
  }

  return {
    async forward(request, response, teamId) {
      const framing = checkBodyHeaders(request, { json: false });
      quota.check(teamId, Number(request.headers['content-length'] ?? 0), response);
      const body = framing === 'none' ? Buffer.alloc(0) : await readBody(request);
      const settle = quota.reserve(teamId, body.length, response);
      const signature = request.headers['stripe-signature'];
      const delivery = {
        teamId,
        ...(typeof signature === 'string' && { signature }),
        requestId: response.locals.requestId,
        trace: currentTrace(),
        body,
      };
      const result = await enqueue(delivery).catch((err: unknown) => {
        void settle(false);
        throw err;
      });
      void settle(result.status === 200);
      if (result.retryAfterSeconds !== undefined) response.set('Retry-After', String(result.retryAfterSeconds));
      response.status(result.status).type('application/json').end(JSON.stringify(result.body));
    },
    close: () => agent.destroy(),
  };
}

/** Returns how many deliveries at the front of the queue fit into one bundle; at least one. */
function nextBundleSize(queue: readonly QueuedDelivery[]): number {
  let bytes = 0;
  for (const [index, { delivery }] of queue.entries()) {
    bytes += delivery.body.length;
    if (index > 0 && bytes > BUNDLE_BYTES) return index;
    if (index === BUNDLE_SIZE) return index;
  }
  return queue.length;
}

function parseResponses(bytes: Buffer, bundleSize: number): DeliveryResponse[] {
  const { responses } = bundleResponse.parse(JSON.parse(bytes.toString('utf8')));
  if (responses.length !== bundleSize)
    throw new Error(`The webhooks service returned ${responses.length} responses to ${bundleSize} deliveries.`);
  return responses;
}
