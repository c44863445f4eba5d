import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../domain/ids.ts';
import { API_VERSION } from '../events/render-event.ts';
import type { Fault } from '../control/faults.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';
import { authenticate } from './authentication.ts';
import type { Endpoint, PathIds } from './endpoint.ts';
import { expanded } from './expansion.ts';
import { ApiError, invalidRequest } from './errors.ts';
import { cutNestedLists } from './nested-lists.ts';
import { requirePermission } from './permissions.ts';
import { type ApiResponse, releaseKey, reserveKey, saveResponse } from './idempotency.ts';

interface Call {
  account: Account;
  requestId: string;
  idempotencyKey: string | null;
  fault: Fault | undefined;
}

/**
 * Adds one endpoint to the server. A request passes these steps: authentication, permission, injected fault, idempotency key,
 * parameters, handler, expansion. Errors have Stripe's shape, and every response has a `Request-Id`.
 */
export function serve(app: FastifyInstance, processor: Processor, endpoint: Endpoint): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const requestId = newId('req_', 14);
      void reply.header('request-id', requestId).header('stripe-version', API_VERSION);
      let account: Account | undefined;
      let response: ApiResponse;
      try {
        const credentials = authenticate(processor.accounts, request.headers);
        account = credentials.account;
        void reply.header('date', new Date(account.now() * 1_000).toUTCString());
        requirePermission(account, credentials.key, request.method, pathOf(request));
        const fault = processor.faults.take(account, request.method, pathOf(request));
        const call = { account, requestId, fault, idempotencyKey: idempotencyKey(request) };
        response = await respond(processor, endpoint, request, reply, call);
      } catch (error) {
        response = errorResponse(error, request);
      }
      account?.countCall(`${endpoint.method} ${endpoint.path}`, response.status);
      return send(reply, response);
    },
  });
}

async function respond(
  processor: Processor,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
): Promise<ApiResponse> {
  const { account, fault, idempotencyKey: key } = call;
  const shouldRetry = fault?.shouldRetry ?? null;
  if (shouldRetry !== null) void reply.header('stripe-should-retry', String(shouldRetry));
  if (fault?.mode === '401') throw expiredKey();
  if (fault?.mode === '429') throw rateLimited();
  if (fault?.mode === '502html') return BAD_GATEWAY;
  if (fault?.mode === 'dropped') return closeConnection(reply);
  if (key !== null) void reply.header('idempotency-key', key);
  const replayed = key === null ? undefined : reserveKey(account, key, pathOf(request), fingerprint(endpoint, request));
  if (replayed) void reply.header('idempotent-replayed', 'true');
  if (fault?.mode === 'slow') await sleep(fault.delayMs);
  if (fault?.mode === 'held') await processor.faults.released(account);
  const response = replayed ?? execute(processor, endpoint, request, call);
  if (response.status >= 500 && shouldRetry === null)
    void reply.header('stripe-should-retry', String(!(fault?.kept ?? true)));
  if (fault?.mode === 'done-but-response-lost') return closeConnection(reply);
  return fault?.mode === 'done-but-response-broken' ? brokenBody(response) : response;
}

/** Executes the request and saves its response. A request that was rejected before it executed releases its key. */
function execute(processor: Processor, endpoint: Endpoint, request: FastifyRequest, call: Call): ApiResponse {
  const { account, requestId, idempotencyKey: key, fault } = call;
  try {
    if (fault?.mode === '400') throw invalidRequest('The request was refused.');
    if (fault?.mode === '500') throw new ApiError(500, UNKNOWN_ERROR, fault.kept);
    const parameters = parametersOf(request);
    const handle = endpoint.prepare(parameters);
    const ids = pathIds(request);
    const body = processor.run(account, unit => expanded(account, handle(unit, ids), expandOf(parameters)), {
      requestId,
      idempotencyKey: key,
    });
    const done = { status: 200, body: JSON.stringify(cutNestedLists(body)) };
    const response = fault?.mode === '500-but-done' ? INTERNAL_ERROR : done;
    if (key !== null) saveResponse(account, key, fault?.kept === false ? done : response);
    return response;
  } catch (error) {
    const response = errorResponse(error, request);
    if (key !== null) {
      if (error instanceof ApiError && !error.executed) releaseKey(account, key);
      else saveResponse(account, key, response);
    }
    return response;
  } finally {
    processor.flush();
  }
}

/** Returns the response for an error. Anything but an ApiError is a bug of the local processor: it is logged and returned as 500. */
export function errorResponse(error: unknown, request: FastifyRequest): ApiResponse {
  if (error instanceof ApiError) return { status: error.status, body: JSON.stringify({ error: error.body }) };
  request.log.error({ err: error }, 'request failed');
  return INTERNAL_ERROR;
}

/** Sends a JSON response, or the HTML page of a failing gateway. */
export function send(reply: FastifyReply, response: ApiResponse): FastifyReply {
  if (reply.sent) return reply;
  const type = response === BAD_GATEWAY ? 'text/html' : 'application/json';
  return reply.code(response.status).header('content-type', type).send(response.body);
}

const UNKNOWN_ERROR = { type: 'api_error' as const, message: 'An unknown error occurred.' };

const INTERNAL_ERROR: ApiResponse = { status: 500, body: JSON.stringify({ error: UNKNOWN_ERROR }) };

const BAD_GATEWAY: ApiResponse = {
  status: 502,
  body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
};

function expiredKey(): ApiError {
  const message = 'Expired API Key provided.';
  return new ApiError(401, { type: 'invalid_request_error', code: 'api_key_expired', message }, false);
}

function rateLimited(): ApiError {
  const message =
    'Request rate limit exceeded. You can learn more about rate limits here: https://docs.stripe.com/rate-limits.';
  return new ApiError(429, { type: 'invalid_request_error', code: 'rate_limit', message }, false);
}

/** Returns a response whose JSON ends in the middle. */
function brokenBody({ status, body }: ApiResponse): ApiResponse {
  return { status, body: body.slice(0, Math.ceil(body.length / 2)) };
}

/** Closes the connection without a response. */
function closeConnection(reply: FastifyReply): ApiResponse {
  reply.hijack();
  reply.raw.destroy();
  return { status: 0, body: '' };
}

function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  return request.method === 'POST' && typeof key === 'string' && key !== '' ? key : null;
}

/**
 * Returns what a repeat under the same idempotency key must equal: method, query and the bytes of the body. The same
 * parameters in another order are another request, as with Stripe.
 */
function fingerprint(endpoint: Endpoint, request: FastifyRequest): string {
  return JSON.stringify([endpoint.method, request.url.split('?')[1] ?? '', request.rawBody]);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? request.url;
}

function pathIds(request: FastifyRequest): PathIds {
  const { id = '', child = '' } = request.params as { id?: string; child?: string };
  return { id, child, url: pathOf(request) };
}

/** Returns query and body parameters together: Stripe accepts both. */
function parametersOf(request: FastifyRequest): Record<string, unknown> {
  return { ...(request.query as object), ...(request.body as object | undefined) };
}

function expandOf(parameters: Record<string, unknown>): string[] | undefined {
  const paths = parameters['expand'];
  return Array.isArray(paths) ? paths.map(String) : undefined;
}
