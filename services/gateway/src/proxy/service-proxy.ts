import type { OutgoingHttpHeaders } from 'node:http';
import type { NextFunction, Request, RequestHandler } from 'express';
import proxy, { type ProxyOptions } from 'express-http-proxy';
import { Problem } from '@billing/contracts/problem';
import { startClientSpan, type ClientSpan } from '@billing/service/http-spans';
import { IDENTITY_HEADER, type Caller, type Principal } from '@billing/service/identity-token';
import { pathOf } from '@billing/service/templated-path';
import type { IdentityTokenFor } from '#auth/identity-tokens.ts';
import { rateLimitHeaders } from '#http/rate-limit-headers.ts';
import { readBytes, readJson } from '#http/request-body.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { InspectResponse } from '#limits/portal-admission.ts';
import type { ServiceUrls } from '../env.ts';
import { downstreamHeaders, upstreamHeaders } from './headers.ts';
import { identityRejected, keepConnections, serviceUnavailable } from './service-connections.ts';

type HeaderDecorator = NonNullable<ProxyOptions['userResHeaderDecorator']>;

interface Target {
  readonly service: keyof ServiceUrls;
  readonly principal: Principal;
  /** `json` and `form` forward the body; `discard` checks it as JSON and drops it. */
  readonly body: 'json' | 'form' | 'discard';
  /** The name of the only cookie that passes, in both directions; none by default. */
  readonly cookie?: string;
  /** Called with the response before the caller gets it. */
  readonly inspect?: InspectResponse;
  /** Called when the body has arrived; returns what is called with the response before the caller gets it. */
  readonly admit?: () => Promise<InspectResponse>;
}

/** Forwards requests to the services that own them. */
export interface ServiceProxy {
  /**
   * Forwards a request with its principal, and sends the service's response to the caller.
   * @throws Problem 400, 413, 415 for the body; later errors go to `next`
   */
  forward(request: Request, response: GatewayResponse, next: NextFunction, target: Target): Promise<void>;
  close(): void;
}

interface Dependencies {
  readonly urls: ServiceUrls;
  readonly tokenFor: IdentityTokenFor;
  readonly responseTimeoutMs: number;
}

/** A request that is being forwarded. */
interface Exchange extends Target {
  readonly response: GatewayResponse;
  readonly forwarded: Buffer | undefined;
  readonly admitted: InspectResponse | undefined;
  readonly signal: AbortSignal;
  readonly span: ClientSpan;
  /** Headers of the response to the caller, before those of the service's response are copied to it. */
  readonly ownHeaders: OutgoingHttpHeaders;
}

/**
 * Forwards over keep-alive connections. Bodies are forwarded whole, in both directions: a slow or broken caller does
 * not occupy a service, and a service that responds early leaves nothing unread.
 */
export function openServiceProxy({ urls, tokenFor, responseTimeoutMs }: Dependencies): ServiceProxy {
  const agent = keepConnections({ maxSockets: 256, maxFreeSockets: 64, scheduling: 'lifo' });
  const exchanges = new WeakMap<Request, Exchange>();
  const exchangeOf = (request: Request): Exchange => {
    const exchange = exchanges.get(request);
    if (!exchange) throw new Error('A request came to the proxy past `forward`.');
    return exchange;
  };

  const decorateRequest: ProxyOptions['proxyReqOptDecorator'] = (options, request) => {
    const { service, principal, cookie, body: of, forwarded: body, signal, span, response } = exchangeOf(request);
    const { requestId } = response.locals;
    const signed = { method: request.method, path: pathOf(request.url) };
    const headers = {
      ...upstreamHeaders(request.headers, { requestId, body, isForm: of === 'form', cookie }),
      ...span.headers,
      [IDENTITY_HEADER]: tokenFor(service, { principal, caller: callerOf(request, response) }, signed),
    };
    return { ...options, agent, signal, headers };
  };

  const decorateResponse = async (...[, request, , , upstream]: Parameters<HeaderDecorator>) => {
    const { service, cookie, span, admitted, inspect, response, ownHeaders } = exchangeOf(request);
    span.end(upstream.statusCode ?? null);
    if (upstream.statusCode === 401) throw identityRejected(service);
    await admitted?.(upstream);
    await inspect?.(upstream);
    const length = request.method === 'HEAD' ? upstream.headers['content-length'] : undefined;
    return {
      ...downstreamHeaders(upstream.headers, ownHeaders, cookie),
      ...(length !== undefined && { 'content-length': length }),
      ...rateLimitHeaders(response),
    };
  };

  const fail = (err: unknown, request: Request, next: NextFunction): void => {
    const { service, span, ownHeaders, response } = exchangeOf(request);
    span.end(null);
    if (response.destroyed) return;
    if (!response.headersSent) {
      const headers = { ...ownHeaders, ...rateLimitHeaders(response) };
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response.set(headers);
    }
    next(!(err instanceof Problem) && isNetworkError(err) ? serviceUnavailable(service, err) : err);
  };

  const openProxy = (url: string): RequestHandler =>
    proxy(url, {
      parseReqBody: false,
      reqBodyEncoding: null,
      proxyReqPathResolver: ({ url: path }) => path,
      proxyReqOptDecorator: decorateRequest,
      proxyReqBodyDecorator: (_body, request) => exchangeOf(request).forwarded,
      userResHeaderDecorator: decorateResponse as unknown as HeaderDecorator, // it is awaited, which the types do not say
      proxyErrorHandler: (err: unknown, response, next) => fail(err, response.req, next),
    });
  const proxies = Object.fromEntries(Object.entries(urls).map(([service, url]) => [service, openProxy(url)])) as Record<
    keyof ServiceUrls,
    RequestHandler
  >; // one for each service

  return {
    async forward(request, response, next, target) {
      const forwarded = target.body === 'discard' ? await discardJson(request) : await readBytes(request, target.body);
      const admitted = await target.admit?.();
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), responseTimeoutMs);
      const span = startClientSpan(request);
      response.once('close', () => {
        clearTimeout(timer);
        span.end(null);
      });
      const { signal } = timeout;
      const ownHeaders = response.getHeaders();
      // Express would state the length of the empty body; the response keeps the length that the service states.
      if (request.method === 'HEAD') response.send = () => response.end();
      exchanges.set(request, { ...target, response, forwarded, admitted, signal, span, ownHeaders });
      await proxies[target.service](request, response, next);
    },
    close: () => agent.destroy(),
  };
}

/** Null for reads, whose tokens can then be reused. */
function callerOf({ method }: Request, { locals: { requestId, address } }: GatewayResponse): Caller | null {
  return method === 'GET' || method === 'HEAD' ? null : { requestId, address };
}

async function discardJson(request: Request): Promise<undefined> {
  await readJson(request);
}

/** Connection errors carry a code; an error without one is a bug. */
const isNetworkError = (err: unknown): boolean => err instanceof Error && 'code' in err;
