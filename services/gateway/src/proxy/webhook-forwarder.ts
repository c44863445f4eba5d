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
import { Problem, unavailable } from '@billing/contracts/problem';
import { openBatcher } from '@billing/messaging/batcher';
import { withTimeout } from '@billing/messaging/timed-transaction';
import { currentTrace } from '@billing/tracing/trace-carrier';
import { startClientSpan } from '@billing/service/http-spans';
import { IDENTITY_HEADER } from '@billing/service/identity-token';
import { openTeamPlaces } from '@billing/service/team-places';
import type { IdentityTokenFor } from '#auth/identity-tokens.ts';
import { countRefusal } from '#http/rate-limit-headers.ts';
import { checkBodyHeaders, readBody } from '#http/request-body.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { WebhookQuota } from '#limits/webhook-quota.ts';
import { identityRejected, keepConnections, serviceUnavailable } from './service-connections.ts';

/** Concurrent requests to the webhooks service: while it stores one bundle, the next one fills. */
const MAX_CONCURRENT_BUNDLES = 3;
/** Webhooks without a response; further ones get 503. */
const MAX_PENDING = 4_096;
/** Bytes of their bodies. */
const MAX_PENDING_BYTES = 64 * 1_048_576;
/** Webhooks of more bytes than this take turns, so that small ones of other teams wait for none. */
const LARGE_BYTES = 65_536;
/** Large webhooks of a team that wait; further ones get 429. */
const MAX_LARGE_WAITING = 15;
/** A team's large webhooks go on at this rate, however fast they are stored: their bytes take processors from all teams. */
const LARGE_BYTES_PER_MS = (2 * 1_048_576) / 1_000;
const SENDER = { principal: { kind: 'anonymous' }, caller: null } as const;

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
   * @throws Problem 413, 415 for the body; 429 when the team's quota is used up, or too many large ones of it wait; 503 when the
   * service does not respond or the queue is full
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
  // A bundle that failed is not sent again: Stripe repeats its webhooks. So each gets the error as its result.
  const send = openBatcher<Delivery, DeliveryResponse | Error>(
    bundle => post(bundle).catch((err: unknown) => bundle.map(() => toError(err))),
    {
      parallel: MAX_CONCURRENT_BUNDLES,
      maxItems: BUNDLE_SIZE,
      weigh: ({ body }) => body.length,
      maxWeight: BUNDLE_BYTES,
    },
  );
  /** Of large webhooks: one of a team after the other, and few of all teams at once. */
  const turns = openTeamPlaces({ ofTeam: 1, maxWaiting: MAX_LARGE_WAITING });
  const places = openTeamPlaces({ ofAll: MAX_CONCURRENT_BUNDLES - 1, ofTeam: 1, maxWaiting: 1 });
  let pending = 0;
  let pendingBytes = 0;

  async function sendInPlace(delivery: Delivery): Promise<DeliveryResponse | Error> {
    const { teamId, body } = delivery;
    if (body.length <= LARGE_BYTES) return send(delivery);
    const giveTurn = await turns.take(teamId);
    const pace = new Promise<void>(resolve => setTimeout(resolve, body.length / LARGE_BYTES_PER_MS).unref());
    const leave = await places.take(teamId);
    return send(delivery).finally(() => {
      leave();
      void pace.then(giveTurn);
    });
  }

  async function sendInTime(delivery: Delivery): Promise<DeliveryResponse> {
    if (pending >= MAX_PENDING || pendingBytes > MAX_PENDING_BYTES)
      throw unavailable('Too many webhooks are waiting to be stored.', 5);
    pending += 1;
    pendingBytes += delivery.body.length;
    const sending = sendInPlace(delivery).finally(() => {
      pending -= 1;
      pendingBytes -= delivery.body.length;
    });
    const response = await withTimeout(sending, responseTimeoutMs, 'Storing a webhook').catch(toError);
    if (response instanceof Problem) throw response;
    if (response instanceof Error) throw serviceUnavailable('webhooks', response);
    return response;
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
      const framing = checkBodyHeaders(request, 'any');
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
      const result = await sendInTime(delivery).catch((err: unknown) => {
        void settle(false);
        if (err instanceof Problem && err.kind === 'rate_limited') countRefusal('largeWebhooks', teamId);
        throw err;
      });
      void settle(result.status === 200);
      if (result.retryAfterSeconds !== undefined) response.set('Retry-After', String(result.retryAfterSeconds));
      response.status(result.status).type('application/json').end(JSON.stringify(result.body));
    },
    close: () => agent.destroy(),
  };
}

const toError = (err: unknown): Error => (err instanceof Error ? err : new Error(String(err)));

function parseResponses(bytes: Buffer, bundleSize: number): DeliveryResponse[] {
  const { responses } = bundleResponse.parse(JSON.parse(bytes.toString('utf8')));
  if (responses.length !== bundleSize)
    throw new Error(`The webhooks service returned ${responses.length} responses to ${bundleSize} deliveries.`);
  return responses;
}
