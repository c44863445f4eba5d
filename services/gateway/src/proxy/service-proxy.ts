import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request } from 'express';
import proxy, { type ProxyOptions } from 'express-http-proxy';
import type { ServiceName } from '@billing/contracts/operation';
import { Problem, unavailable } from '@billing/contracts/problem';
import { startClientSpan } from '@billing/service/http-spans';
import { IDENTITY_HEADER, type Caller, type Principal } from '@billing/service/identity-token';
import { pathOf } from '@billing/service/templated-path';
import type { IdentityTokenFor } from '#auth/identity-tokens.ts';
import { rateLimitHeaders } from '#http/rate-limit-headers.ts';
import { checkBodyHeaders, readBody, readJson } from '#http/request-body.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { InspectResponse } from '#limits/portal-admission.ts';
import type { ServiceUrls } from '../env.ts';
import { downstreamHeaders, upstreamHeaders } from './headers.ts';
import { keepConnections } from './service-connections.ts';

interface Target {
  readonly service: keyof ServiceUrls;
  readonly principal: Principal;
  /** `json` forwards the body; `discard` checks it by the same rules and drops it. */
  readonly body: 'json' | 'discard';
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

/**
 * Forwards over keep-alive connections. Bodies are forwarded whole, in both directions: a slow or broken caller does
 * not occupy a service, and a service that responds early leaves nothing unread.
 */
export function openServiceProxy({ urls, tokenFor, responseTimeoutMs }: Dependencies): ServiceProxy {
  const agent = keepConnections({ maxSockets: 256, maxFreeSockets: 64, scheduling: 'lifo' });

  return {
    async forward(request, response, next, { service, principal, body: bodyRule, cookie, inspect, admit }) {
      const { requestId, defaultHeaders } = response.locals;
      const body = bodyRule === 'json' ? await readJsonBytes(request) : await discardJson(request);
      const admitted = await admit?.();
      const signed = { method: request.method, path: pathOf(request.url) };
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), responseTimeoutMs);
      const span = startClientSpan(request);
      response.once('close', () => {
        clearTimeout(timer);
        span.end(null);
      });

      const handle = proxy(urls[service], {
        parseReqBody: false,
        reqBodyEncoding: null,
        proxyReqPathResolver: ({ url }) => url,
        proxyReqOptDecorator: options => ({
          ...options,
          agent,
          signal: timeout.signal,
          headers: {
            ...upstreamHeaders(request.headers, { requestId, body, cookie }),
            ...span.headers,
            [IDENTITY_HEADER]: tokenFor(service, { principal, caller: callerOf(request, requestId) }, signed),
          },
        }),
        proxyReqBodyDecorator: () => body,
        skipToNextHandlerFilter: (async (upstream: IncomingMessage) => {
          span.end(upstream.statusCode ?? null);
          if (upstream.statusCode === 401) throw identityRejected(service);
          await admitted?.(upstream);
          await inspect?.(upstream);
          return false;
        }) as unknown as ProxyOptions['skipToNextHandlerFilter'], // it is awaited, which the types do not say
        userResHeaderDecorator: (_headers, _request, _response, _proxyRequest, upstream) => ({
          ...downstreamHeaders(upstream.headers, { requestId, defaultHeaders, cookie }),
          ...rateLimitHeaders(response),
        }),
        proxyErrorHandler: (err: unknown) => {
          span.end(null);
          if (response.destroyed) return;
          next(!(err instanceof Problem) && isNetworkError(err) ? serviceUnavailable(service, err) : err);
        },
      });
      handle(request, response, next);
    },
    close: () => agent.destroy(),
  };
}

/** 503: a service is down or too slow. */
export function serviceUnavailable(service: ServiceName, cause?: unknown): Problem {
  return unavailable(`The ${service} service does not respond at the moment.`, 2, { cause });
}

/** 503: a service returned 401. It rejects the gateway, not the caller, whose credential was checked here. */
export function identityRejected(service: ServiceName): Problem {
  return unavailable(
    `The ${service} service rejects the gateway's identity token. Check that IDENTITY_PUBLIC_KEY is the gateway's and that the clocks differ by less than five seconds.`,
    5,
  );
}

/** Null for reads, whose tokens can then be reused. */
function callerOf({ method, ip = '' }: Request, requestId: string): Caller | null {
  return method === 'GET' || method === 'HEAD' ? null : { requestId, address: ip };
}

/** Reads the body without parsing it; undefined when there is none. */
async function readJsonBytes(request: Request): Promise<Buffer | undefined> {
  return checkBodyHeaders(request, { json: true }) === 'none' ? undefined : readBody(request);
}

async function discardJson(request: Request): Promise<undefined> {
  await readJson(request);
}

/** Connection errors carry a code; an error without one is a bug. */
const isNetworkError = (err: unknown): boolean => err instanceof Error && 'code' in err;
