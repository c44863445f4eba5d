import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../domain/ids.ts';
import { API_VERSION } from '../events/rendering.ts';
import type { Fault } from '../faults/faults.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';
import { authenticate } from './authentication.ts';
import type { Endpoint } from './endpoint.ts';
import { expanded } from './expansion.ts';
import { Failure } from './failure.ts';
import { type Answer, begin, keep, release } from './idempotency.ts';

interface Call {
  account: Account;
  requestId: string;
  idempotencyKey: string | null;
  fault: Fault | undefined;
}

/**
 * Serves one endpoint as Stripe does: key, planted faults, idempotency key, parameters, work, expansion. Failures have
 * Stripe's shape and every answer a `Request-Id`.
 */
export function serve(app: FastifyInstance, processor: Processor, endpoint: Endpoint): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      const requestId = newId('req_', 14);
      void reply.header('request-id', requestId).header('stripe-version', API_VERSION);
      let account: Account | undefined;
      let answer: Answer;
      try {
        account = authenticate(processor.accounts, request.headers);
        const fault = processor.faults.take(account, request.method, pathOf(request));
        const call = { account, requestId, fault, idempotencyKey: idempotencyKey(request) };
        answer = await answerCall(processor, endpoint, request, reply, call);
      } catch (error) {
        answer = answerFailure(error, request);
      }
      account?.countCall(`${endpoint.method} ${endpoint.path}`, answer.status);
      return send(reply, answer);
    },
  });
}

async function answerCall(
  processor: Processor,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
): Promise<Answer> {
  const { account, fault, idempotencyKey: key } = call;
  if (fault?.mode === '429') throw rateLimited();
  if (fault?.mode === '502html') return BAD_GATEWAY;
  if (fault?.mode === 'dropped') return hangUp(reply);
  if (key !== null) void reply.header('idempotency-key', key);
  const replayed = key === null ? undefined : begin(account, key, pathOf(request), fingerprint(endpoint, request));
  if (replayed) void reply.header('idempotent-replayed', 'true');
  if (fault?.mode === 'slow') await sleep(fault.delayMs);
  const answer = replayed ?? execute(processor, endpoint, request, call);
  if (answer.status >= 500) void reply.header('stripe-should-retry', String(!(fault?.kept ?? true)));
  return fault?.mode === 'done-but-answer-lost' ? hangUp(reply) : answer;
}

/** Does the work and keeps its answer; a request that was refused before it began frees its key. */
function execute(processor: Processor, endpoint: Endpoint, request: FastifyRequest, call: Call): Answer {
  const { account, requestId, idempotencyKey: key, fault } = call;
  try {
    if (fault?.mode === '500') throw new Failure(500, UNKNOWN_ERROR, fault.kept);
    const parameters = parametersOf(request);
    const work = endpoint.prepare(parameters);
    const ids = pathIds(request);
    const body = processor.run(account, unit => expanded(account, work(unit, ids), expandOf(parameters)), {
      requestId,
      idempotencyKey: key,
    });
    const done = { status: 200, body: JSON.stringify(body) };
    const answer = fault?.mode === '500-but-done' ? FAILED : done;
    if (key !== null) keep(account, key, fault?.kept === false ? done : answer);
    return answer;
  } catch (error) {
    const answer = answerFailure(error, request);
    if (key !== null) {
      if (error instanceof Failure && !error.begun) release(account, key);
      else keep(account, key, answer);
    }
    return answer;
  } finally {
    processor.flush();
  }
}

/** Turns what was thrown into Stripe's failure; what is not a `Failure` is a fault of the stand-in itself. */
export function answerFailure(error: unknown, request: FastifyRequest): Answer {
  if (error instanceof Failure) return { status: error.status, body: JSON.stringify({ error: error.body }) };
  request.log.error({ err: error }, 'request failed');
  return FAILED;
}

/** Sends an answer that is already JSON, or the page of a broken gateway. */
export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (reply.sent) return reply;
  const type = answer === BAD_GATEWAY ? 'text/html' : 'application/json';
  return reply.code(answer.status).header('content-type', type).send(answer.body);
}

const UNKNOWN_ERROR = { type: 'api_error' as const, message: 'An unknown error occurred.' };

const FAILED: Answer = { status: 500, body: JSON.stringify({ error: UNKNOWN_ERROR }) };

const BAD_GATEWAY: Answer = {
  status: 502,
  body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
};

function rateLimited(): Failure {
  const message =
    'Request rate limit exceeded. You can learn more about rate limits here: https://docs.stripe.com/rate-limits.';
  return new Failure(429, { type: 'invalid_request_error', code: 'rate_limit', message }, false);
}

/** Cuts the connection without an answer. */
function hangUp(reply: FastifyReply): Answer {
  reply.hijack();
  reply.raw.destroy();
  return { status: 0, body: '' };
}

function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  return request.method === 'POST' && typeof key === 'string' && key !== '' ? key : null;
}

function fingerprint(endpoint: Endpoint, request: FastifyRequest): string {
  return JSON.stringify(sorted([endpoint.method, parametersOf(request)]));
}

/** The same value with the keys of its objects in order, so that the order of parameters makes no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, entry]) => [key, sorted(entry)]);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? request.url;
}

function pathIds(request: FastifyRequest): { id: string; child: string; url: string } {
  const { id, child } = request.params as { id?: string; child?: string };
  return { id: id ?? '', child: child ?? '', url: pathOf(request) };
}

/** Query and body together: Stripe takes either. */
function parametersOf(request: FastifyRequest): Record<string, unknown> {
  return { ...(request.query as object), ...(request.body as object | undefined) };
}

function expandOf(parameters: Record<string, unknown>): string[] | undefined {
  const paths = parameters['expand'];
  return Array.isArray(paths) ? paths.map(String) : undefined;
}
