import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { context } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { startServerSpan } from '@billing/service/http-spans';
import type { Principal } from '@billing/service/identity-token';
import { openRequestMetrics } from '@billing/service/request-metrics';
import { templatedPath } from '@billing/service/templated-path';
import { addressGroup, clientAddress, type IsTrustedProxy } from '#domain/addresses.ts';
import type { BodyBudget } from './body-budget.ts';

/** What the gateway knows about a request besides the request itself. */
interface RequestContext {
  requestId: string;
  /** The caller's, in its one spelling; empty once the connection is gone. */
  address: string;
  /** Under which limits count the address. */
  addressGroup: string;
  logger: Logger;
  /** Where the bytes of its body are held. */
  bodyBudget: BodyBudget;
  /** The path of the operation, as `/teams/:teamId`; undefined for others and until it is known. */
  route?: string;
  /** The caller, once authorized. */
  principal?: Principal;
  /** The caller, if the credential belongs to the team in the path, or the path names none; not authorized yet. */
  knownCaller?: Principal;
  /** Throws Problem 403 `reauthentication_required` unless the password was checked in this session recently. */
  requireFreshSession?: () => void;
}

interface ContextDependencies {
  readonly logger: Logger;
  readonly publicUrl: string;
  readonly bodyBudget: BodyBudget;
  readonly isTrustedProxy: IsTrustedProxy;
}

/** A response with the request's context in `locals`. */
export type GatewayResponse = Response<unknown, RequestContext & Record<string, unknown>>;

/** A handler or middleware; a rejected promise goes to the error handler. */
export type Handler = (request: Request, response: GatewayResponse, next: NextFunction) => void | Promise<void>;

/** Responds to a request; a rejected promise goes to the error handler. */
export type Responder = (request: Request, response: GatewayResponse) => Promise<void>;

/**
 * Headers of every response: it is not cached, its type is not guessed, and pages of other sites can neither read it nor
 * keep a reference to our pages.
 */
const DEFAULT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
/** A browser that has seen the https address uses no http for a year. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' };

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives each request its id, its logger, the default headers and a trace of its own, and logs how it ended. Callers neither
 * force or stop a trace, nor write into those of others: their `traceparent` is not read.
 */
export function requestContext({ logger, publicUrl, bodyBudget, isTrustedProxy }: ContextDependencies): Handler {
  const record = openRequestMetrics();
  const originOf = openOrigins(isTrustedProxy);
  const defaultHeaders = Object.entries({ ...DEFAULT_HEADERS, ...(publicUrl.startsWith('https:') && HTTPS_ONLY) });
  return (request, response, next) => {
    const startedAt = performance.now();
    const requestId = requestIdFrom(request.headers['x-request-id']);
    Object.assign(response.locals, originOf(request), { requestId, bodyBudget, logger });
    for (const [name, value] of defaultHeaders) response.setHeader(name, value);
    response.setHeader('x-request-id', requestId);
    if (request.url.startsWith('/health/')) return next();
    const span = startServerSpan(request);
    response.once('close', () => {
      const ms = performance.now() - startedAt;
      const { method, url } = request;
      const { route, principal } = response.locals;
      const status = response.writableFinished ? response.statusCode : undefined;
      record({ method, route, status, ms });
      span.end({ route, status });
      if (!logger.isLevelEnabled('info')) return;
      const ended = { status: status ?? 'aborted', ms: Math.round(ms), ...callerFields(principal) };
      const line = { requestId, method, path: templatedPath(url), ...ended };
      context.with(span.context, () => logger.info(line, 'request completed'));
    });
    return context.with(span.context, next);
  };
}

/** Returns a function that finds whom a request comes from; once for each connection, unless it says for whom it forwards. */
function openOrigins(isTrustedProxy: IsTrustedProxy) {
  type Origin = Pick<RequestContext, 'address' | 'addressGroup'>;
  const ofConnections = new WeakMap<Socket, Origin>();
  const find = (peer: string | undefined = '', forwardedFor?: string): Origin => {
    const address = clientAddress({ peer, forwardedFor }, isTrustedProxy);
    return { address, addressGroup: addressGroup(address) };
  };
  return ({ socket, headers }: Request): Origin => {
    // Node joins the lines of a repeated header.
    const forwardedFor = headers['x-forwarded-for']?.toString();
    if (forwardedFor !== undefined) return find(socket.remoteAddress, forwardedFor);
    const origin = ofConnections.get(socket) ?? find(socket.remoteAddress);
    if (origin.address !== '') ofConnections.set(socket, origin);
    return origin;
  };
}

/** Returns a logger that adds the request id to every line. */
export const loggerOf = ({ locals: { logger, requestId } }: GatewayResponse): Logger => logger.child({ requestId });

/** Returns the caller's request id if it is safe in a log line, otherwise a new one. */
function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID_PATTERN.test(header) ? header : randomUUID();
}

function callerFields(principal: Principal | undefined) {
  if (principal === undefined || principal.kind === 'anonymous') return {};
  const { teamId, projectId } = principal;
  const caller = principal.kind === 'api-key' ? { keyId: principal.keyId } : { userId: principal.userId };
  return { ...caller, teamId, projectId };
}
