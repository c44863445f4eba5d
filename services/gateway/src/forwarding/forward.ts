import { Agent } from 'node:http';
import type { NextFunction, Request } from 'express';
import proxy from 'express-http-proxy';
import { Problem } from '@billing/contracts/problem';
import { IDENTITY_HEADER, type Principal } from '@billing/service/identity-token';
import { inspectBody, readBody, readJson } from '#http/body.ts';
import type { Reply } from '#http/exchange.ts';
import type { ServiceUrls } from '../env.ts';
import { answerHeaders, upstreamHeaders, type PassedBody } from './headers.ts';
import type { State } from './statements.ts';
import { disbelieved, serviceUnavailable } from './unanswered.ts';

/** How long a service may take to answer in full, in milliseconds; longer than its own budget. */
const ANSWER_TIMEOUT_MS = 25_000;

/** What of a body goes on: `json` as it is, or `nothing`, and then what was sent is held to its rules and thrown away. */
type TakenBody = 'json' | 'nothing';

interface Forwarded {
  readonly service: keyof ServiceUrls;
  readonly principal: Principal;
  readonly takes: TakenBody;
  /** The name of the one cookie that passes, both ways; none unless told. */
  readonly cookie?: string;
  /** Hears the status of the service's answer. */
  readonly onStatus?: (status: number) => void;
}

/** Sends requests on to the services that own them. */
export interface Forwarding {
  /**
   * Hands a request and its principal to a service, and its answer to the caller.
   * @throws Problem 400, 413, 415 for the body; what goes wrong later is given to `next`
   */
  forward(request: Request, reply: Reply, next: NextFunction, forwarded: Forwarded): Promise<void>;
  close(): void;
}

interface ForwardingParts {
  readonly urls: ServiceUrls;
  readonly state: State;
  readonly answerTimeoutMs?: number;
}

/**
 * Forwards over connections that are kept open. A body is passed on once it is whole, so that a slow or broken caller
 * holds no service, and a service that answers early leaves nothing unread; the answer too, once it is whole.
 */
export function openForwarding({ urls, state, answerTimeoutMs = ANSWER_TIMEOUT_MS }: ForwardingParts): Forwarding {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, maxFreeSockets: 64, scheduling: 'lifo' });

  return {
    async forward(request, reply, next, { service, principal, takes, cookie, onStatus }) {
      const { requestId } = reply.locals;
      const body = await takeBody(request, takes);
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), answerTimeoutMs);
      reply.once('close', () => clearTimeout(timer));

      const pass = proxy(urls[service], {
        parseReqBody: false,
        reqBodyEncoding: null,
        proxyReqPathResolver: ({ url }) => url,
        proxyReqOptDecorator: options => ({
          ...options,
          agent,
          signal: timeout.signal,
          headers: {
            ...upstreamHeaders(request.headers, { requestId, body, cookie }),
            [IDENTITY_HEADER]: state(service, principal),
          },
        }),
        proxyReqBodyDecorator: () => body?.bytes,
        skipToNextHandlerFilter: ({ statusCode }) => {
          if (statusCode === 401) throw disbelieved(service);
          return false;
        },
        userResHeaderDecorator: (_headers, _request, _response, _sent, answer) => {
          onStatus?.(answer.statusCode ?? 0);
          return answerHeaders(answer.headers, { requestId, cookie });
        },
        proxyErrorHandler: (err: unknown) => {
          if (reply.destroyed) return;
          next(!(err instanceof Problem) && isNetworkError(err) ? serviceUnavailable(service, err) : err);
        },
      });
      pass(request, reply, next);
    },
    close: () => agent.destroy(),
  };
}

/** Reads the body whole; undefined when there is none to pass on. */
async function takeBody(request: Request, takes: TakenBody): Promise<PassedBody | undefined> {
  if (takes === 'nothing') {
    await readJson(request);
    return undefined;
  }
  if (inspectBody(request, { json: true }) === 'none') return undefined;
  return { bytes: await readBody(request), contentType: 'application/json' };
}

/** Errors of the connection carry a code; what has none is a fault of ours. */
const isNetworkError = (err: unknown): boolean => err instanceof Error && 'code' in err;
