import { BillingError, parseJson } from './billing-error.ts';
import type { ConnectionOptions, WriteOptions } from './options.ts';
import { KEY_IN_USE, pause, pauseBeforeRetry } from './retry.ts';

/** How long a call waits for its own first attempt whose response was lost, in milliseconds; none runs longer. */
const MAX_ATTEMPT_RUN_MS = 60_000;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the transport's. */
  readonly path: string;
  readonly query?: Readonly<object> | undefined;
  readonly body?: unknown;
  /** How long the service may wait before it responds, beside the time of an attempt, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** The tag of the response that the caller has, whose body is not sent again. */
  readonly tag?: string | undefined;
  readonly options?: WriteOptions | undefined;
  /** Returns whether the failure of a retry means that the attempt before it succeeded and its response was lost. */
  readonly isDone?: (failure: BillingError) => boolean;
}

/** A response: its body, and its tag if it has one. */
interface Tagged<Body> {
  readonly body: Body;
  readonly tag: string | undefined;
}

/** Sends a request and returns the response; its body is undefined when `isDone` held, or when it is that of the request's `tag`. */
export type Send = <Body>(request: Request) => Promise<Tagged<Body>>;

type AttemptResult = Tagged<unknown> | { readonly failure: BillingError };

/**
 * Opens the connection to the gateway, for the paths below `root`. Every POST carries an `Idempotency-Key`, a random one unless given. All attempts
 * of a call carry the same key, so that a retry is safe.
 * @throws TypeError when `baseUrl` is not an http(s) address
 */
export function openTransport(client: ConnectionOptions, root: string): Send {
  // Browsers refuse a `fetch` that is called as a method of another object.
  const { fetch: send = (url, init) => fetch(url, init) } = client;
  const base = `${gatewayUrl(client.baseUrl)}${root}`;

  async function attempt(url: string, init: RequestInit, timeoutMs: number): Promise<AttemptResult> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      const response = await send(url, { ...init, signal });
      const tag = response.headers.get('etag') ?? undefined;
      if (response.status === 304) return { body: undefined, tag };
      const text = await response.text();
      const body = parseJson(text);
      return response.ok && body !== undefined ? { body, tag } : { failure: BillingError.fromResponse(response, text) };
    } catch (cause) {
      init.signal?.throwIfAborted();
      return { failure: errorWithoutResponse(cause, timeout.aborted ? timeoutMs : undefined) };
    }
  }

  return async <Body>({ method, path, query, body, waitMs = 0, tag, options = {}, isDone }: Request) => {
    const { signal, idempotencyKey, timeoutMs = client.timeoutMs ?? 30_000 } = options;
    const headers = new Headers({ accept: 'application/json' });
    if (client.apiKey !== undefined) headers.set('authorization', `Bearer ${client.apiKey}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (tag !== undefined) headers.set('if-none-match', tag);
    if (method === 'POST') headers.set('idempotency-key', idempotencyKey ?? randomKey());
    const init: RequestInit = { method, headers, ...(signal && { signal }) };
    if (body !== undefined) init.body = JSON.stringify(body);

    const giveUpAt = performance.now() + MAX_ATTEMPT_RUN_MS;
    let left = options.maxRetries ?? client.maxRetries ?? 2;
    let mayBeDone = false;
    for (let retries = 0; ; retries += 1) {
      const result = await attempt(`${base}${path}${queryText(query)}`, init, timeoutMs + waitMs);
      if ('body' in result) return result as Tagged<Body>; // the service validates its responses against this type
      const { failure } = result;
      if (mayBeDone && isDone?.(failure)) return { body: undefined as Body, tag: undefined }; // a caller that gives `isDone` expects undefined
      const isStillRunning = mayBeDone && failure.code === KEY_IN_USE && performance.now() < giveUpAt;
      const pauseMs = left > 0 || isStillRunning ? pauseBeforeRetry(failure, retries) : undefined;
      if (pauseMs === undefined) throw failure;
      if (!isStillRunning) left -= 1;
      mayBeDone ||= failure.status === 0 || failure.status >= 500;
      client.onRetry?.(failure, pauseMs);
      await pause(pauseMs, signal);
    }
  };
}

/** Returns a random idempotency key. Browsers have `randomUUID` only on pages over https. */
function randomKey(): string {
  const known: Partial<Crypto> = crypto;
  return known.randomUUID?.() ?? Array.from({ length: 3 }, () => Math.random().toString(36).slice(2)).join('-');
}

function gatewayUrl(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(`baseUrl must be the http(s) address of the gateway, not "${baseUrl}".`);
  return baseUrl.replace(/\/+$/, '');
}

function errorWithoutResponse(cause: unknown, timeoutMs: number | undefined): BillingError {
  const [code, message] =
    timeoutMs === undefined
      ? [
          'connection_failed',
          'The billing service could not be reached, or the connection broke before its response was complete.',
        ]
      : ['timed_out', `The billing service did not respond within ${timeoutMs} ms.`];
  return new BillingError({ status: 0, code, message }, { cause });
}

function queryText(query: Request['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}
