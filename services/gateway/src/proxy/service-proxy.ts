import type { OutgoingHttpHeaders } from 'node:http';
import type { Request, RequestHandler } from 'express';
import proxy, { type ProxyOptions } from 'express-http-proxy';
import { Problem } from '@billing/contracts/problem';
import { startClientSpan, type ClientSpan } from '@billing/service/http-spans';
import { IDENTITY_HEADER, type Caller, type Principal } from '@billing/service/identity-token';
import { openTeamPlaces, type TeamPlaces } from '@billing/service/team-places';
import { pathOf } from '@billing/service/templated-path';
import type { IdentityTokenFor } from '#auth/identity-tokens.ts';
import { hideRateLimits, rateLimitHeaders } from '#http/rate-limit-headers.ts';
import { readBytes, readJson } from '#http/request-body.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { InspectResponse } from '#limits/portal-admission.ts';
import type { ServiceUrls } from '../env.ts';
import { downstreamHeaders, upstreamHeaders } from './headers.ts';
import { identityRejected, keepConnections, MAX_CONNECTIONS, serviceUnavailable } from './service-connections.ts';

/** Requests that wait at one service. */
const MAX_WAITING = 4_096;

type HeaderDecorator = NonNullable<ProxyOptions['userResHeaderDecorator']>;

interface Target {
  readonly service: keyof ServiceUrls;
  readonly principal: Principal;
  /** `json` and `form` forward the body; `discard` checks it as JSON and drops it. */
  readonly body: 'json' | 'form' | 'discard';
  /** The name of the only cookie that passes, in both directions; none by default. */
  readonly cookie?: string;
  /** Whether the response may take long on purpose. */
  readonly waits?: boolean;
  /** Called with the response before the caller gets it. */
  readonly inspect?: InspectResponse;
  /** Called when the body has arrived; returns what is called with the response before the caller gets it. */
  readonly admit?: () => Promise<InspectResponse>;
}

/** Forwards requests to the services that own them. */
export interface ServiceProxy {
  /**
   * Forwards a request with its principal, and sends the service's response to the caller.
   * @throws Problem 400, 413, 415 for the body; 429 when too many requests of the team wait for the service; 503 when that does
   * not respond; what `admit` and `inspect` throw
   */
  forward(request: Request, response: GatewayResponse, target: Target): Promise<void>;
  /** What teams share of the connections to each service. */
  readonly places: Readonly<Record<keyof ServiceUrls, TeamPlaces>>;
  close(): void;
}

/** Requests of a team that a service is sent at the same time, and that wait: as many as a key may send in a minute, or nearly. */
const OF_TEAM = { ofTeam: 32, maxWaiting: 500 };

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
  const agent = keepConnections({ maxSockets: MAX_CONNECTIONS, maxFreeSockets: 64, scheduling: 'lifo' });
  // Requests that wait take no connection from others. How many of a team wait, the services limit.
  const waitingAgent = keepConnections({ maxSockets: MAX_WAITING, maxFreeSockets: 64, scheduling: 'lifo' });
  const exchanges = new WeakMap<Request, Exchange>();
  const exchangeOf = (request: Request): Exchange => {
    const exchange = exchanges.get(request);
    if (!exchange) throw new Error('A request came to the proxy past `forward`.');
    return exchange;
  };

  const decorateRequest: ProxyOptions['proxyReqOptDecorator'] = (options, request) => {
    const exchange = exchangeOf(request);
    const { service, principal, cookie, body: of, forwarded: body, signal, span, response, waits } = exchange;
    const { requestId } = response.locals;
    const signed = { method: request.method, path: pathOf(request.url) };
    const headers = {
      ...upstreamHeaders(request.headers, { requestId, body, isForm: of === 'form', cookie }),
      ...span.headers,
      [IDENTITY_HEADER]: tokenFor(service, { principal, caller: callerOf(request, response) }, signed),
    };
    return { ...options, agent: waits ? waitingAgent : agent, signal, headers };
  };

  const decorateResponse = async (...[, request, , , upstream]: Parameters<HeaderDecorator>) => {
    const { service, cookie, span, admitted, inspect, response, ownHeaders } = exchangeOf(request);
    span.end(upstream.statusCode ?? null);
    if (upstream.statusCode === 401) throw identityRejected(service);
    await admitted?.(upstream);
    await inspect?.(upstream);
    // The service has refused by a limit of its own, and says itself when to try again.
    if (upstream.statusCode === 429) hideRateLimits(response);
    const length = request.method === 'HEAD' ? upstream.headers['content-length'] : undefined;
    return {
      ...downstreamHeaders(upstream.headers, ownHeaders, cookie),
      ...(length !== undefined && { 'content-length': length }),
      ...rateLimitHeaders(response),
    };
  };

  const problemOf = (err: unknown, { service, span, ownHeaders, response }: Exchange): unknown => {
    span.end(null);
    if (!response.headersSent) {
      const headers = { ...ownHeaders, ...rateLimitHeaders(response) };
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response.set(headers);
    }
    return !(err instanceof Problem) && isNetworkError(err) ? serviceUnavailable(service, err) : err;
  };

  const openProxy = (url: string): RequestHandler =>
    proxy(url, {
      parseReqBody: false,
      reqBodyEncoding: null,
      proxyReqPathResolver: ({ url: path }) => path,
      proxyReqOptDecorator: decorateRequest,
      proxyReqBodyDecorator: (_body, request) => exchangeOf(request).forwarded,
      userResHeaderDecorator: decorateResponse as unknown as HeaderDecorator, // it is awaited, which the types do not say
      proxyErrorHandler: (err: unknown, _response, next) => next(err),
    });
  const ofEach = <Value>(make: (url: string) => Value) =>
    Object.fromEntries(Object.entries(urls).map(([service, url]) => [service, make(url)])) as Record<
      keyof ServiceUrls,
      Value
    >; // one for each service
  const places = ofEach(() => openTeamPlaces({ ofAll: MAX_CONNECTIONS, ...OF_TEAM }));
  const proxies = ofEach(openProxy);

  /** Without a team, or waiting for long, a request has limits of its own. */
  const takePlace = async (request: Request, { service, principal }: Target) => {
    if (principal.kind === 'anonymous' || !principal.teamId || WAITS.test(request.url)) return () => undefined;
    return places[service].take(principal.teamId);
  };

  return {
    async forward(request, response, target) {
      const given = target.body === 'discard' ? await discardJson(request) : await readBytes(request, target.body);
      // No body says as much as one without fields.
      const forwarded = given ?? (target.body === 'json' ? Buffer.from('{}') : undefined);
      const admitted = await target.admit?.();
      const leavePlace = await takePlace(request, target);
      if (response.closed) return leavePlace();
      response.once('close', leavePlace);
      const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), responseTimeoutMs);
      const span = startClientSpan(request);
      response.once('close', () => {
        clearTimeout(timer);
        span.end(null);
        resolve();
      });
      const { signal } = timeout;
      const limits = rateLimitHeaders(response);
      const ownHeaders = Object.fromEntries(
        Object.entries(response.getHeaders()).filter(([name]) => !(name in limits)),
      );
      // Express would state the length of the empty body; the response keeps the length that the service states.
      if (request.method === 'HEAD') response.send = () => response.end();
      const exchange: Exchange = { ...target, response, forwarded, admitted, signal, span, ownHeaders };
      exchanges.set(request, exchange);
      void proxies[target.service](request, response, (err: unknown) => reject(problemOf(err, exchange)));
      await closed;
    },
    places,
    close() {
      agent.destroy();
      waitingAgent.destroy();
    },
  };
}

/** A request that waits until something happens. */
const WAITS = /[?&]waitMs=[1-9]/;

/** Null for reads, whose tokens can then be reused. */
function callerOf({ method }: Request, { locals: { requestId, address } }: GatewayResponse): Caller | null {
  return method === 'GET' || method === 'HEAD' ? null : { requestId, address };
}

async function discardJson(request: Request): Promise<undefined> {
  await readJson(request);
}

/** Connection errors carry a code; an error without one is a bug. */
const isNetworkError = (err: unknown): boolean => err instanceof Error && 'code' in err;
