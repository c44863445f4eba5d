import { BillingError, jsonOf } from './billing-error.ts';
import type { ClientOptions, WriteOptions } from './options.ts';
import { KEY_IN_USE, pauseBefore } from './retry.ts';

/** How long a call whose answer was lost waits for its first attempt, in milliseconds; nobody works longer on one. */
const LONGEST_RUN_MS = 60_000;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the project. */
  readonly path: string;
  readonly query?: Readonly<object> | undefined;
  readonly body?: unknown;
  readonly options?: WriteOptions | undefined;
  /** Whether a failure of a repeat says that the attempt before, whose answer was lost, had done it. */
  readonly isDone?: (failure: BillingError) => boolean;
}

/** The answer's body; undefined for a repeat of what is already done. */
export type Send = <Answer>(request: Request) => Promise<Answer>;

type Attempted = { readonly body: unknown } | { readonly failure: BillingError };

/**
 * Calls the gateway. A POST carries an `Idempotency-Key`, its own if none is given, so that every call may be
 * repeated safely; the same key goes with each attempt.
 * @throws TypeError for a `baseUrl` that is no http(s) address
 */
export function openTransport(client: ClientOptions): Send {
  const { fetch: send = fetch } = client;
  const project = projectUrl(client);

  async function attempt(url: string, init: RequestInit, timeoutMs: number): Promise<Attempted> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      const response = await send(url, { ...init, signal });
      const text = await response.text();
      const body = jsonOf(text);
      return response.ok && body !== undefined ? { body } : { failure: BillingError.ofAnswer(response, text) };
    } catch (cause) {
      init.signal?.throwIfAborted();
      return { failure: withoutAnswer(cause, timeout.aborted ? timeoutMs : undefined) };
    }
  }

  return async <Answer>({ method, path, query, body, options = {}, isDone }: Request) => {
    const { signal, idempotencyKey, timeoutMs = client.timeoutMs ?? 30_000 } = options;
    const headers = new Headers({ authorization: `Bearer ${client.apiKey}`, accept: 'application/json' });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (method === 'POST') headers.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
    const init: RequestInit = { method, headers, ...(signal && { signal }) };
    if (body !== undefined) init.body = JSON.stringify(body);

    const giveUpAt = performance.now() + LONGEST_RUN_MS;
    let left = options.maxRetries ?? client.maxRetries ?? 2;
    let mayBeDone = false;
    for (let tried = 0; ; tried += 1) {
      const attempted = await attempt(`${project}${path}${queryText(query)}`, init, timeoutMs);
      if ('body' in attempted) return attempted.body as Answer; // the service validates its answers against this type
      const { failure } = attempted;
      if (mayBeDone && isDone?.(failure)) return undefined as Answer; // who says when it is done expects no answer
      const isStillAtWork = mayBeDone && failure.code === KEY_IN_USE && performance.now() < giveUpAt;
      const pause = left > 0 || isStillAtWork ? pauseBefore(failure, tried) : undefined;
      if (!pause) throw failure;
      if (!isStillAtWork) left -= 1;
      mayBeDone ||= failure.status === 0 || failure.status >= 500;
      await pause(signal);
    }
  };
}

function projectUrl({ baseUrl, teamId, projectId }: ClientOptions): string {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new TypeError(`baseUrl must be the http(s) address of the gateway, not "${baseUrl}".`);
  const project = `teams/${encodeURIComponent(teamId)}/projects/${encodeURIComponent(projectId)}`;
  return `${baseUrl.replace(/\/+$/, '')}/api/service/${project}`;
}

function withoutAnswer(cause: unknown, timeoutMs: number | undefined): BillingError {
  const [code, message] =
    timeoutMs === undefined
      ? ['connection_failed', 'The billing service could not be reached, or broke its answer off.']
      : ['timed_out', `The billing service did not answer within ${timeoutMs} ms.`];
  return new BillingError({ status: 0, code, message }, { cause });
}

function queryText(query: Request['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}
