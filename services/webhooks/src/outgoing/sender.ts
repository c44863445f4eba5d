import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { readRetryAfter } from './retry-schedule.rules.ts';
import { isPublicAddress } from './sent-addresses.rules.ts';
import { refusalOf, type AllowedTargets } from './sent-urls.rules.ts';
import { openCheckedAgents } from './checked-agents.ts';
import { openIdleConnections } from './idle-connections.ts';
import type { Resolve } from './resolve-names.ts';

const TOTAL_MS = 15_000;
/** How long the headers of a response may be: what is longer is no response. */
const MAX_HEADERS = 65_536;
/** How much of a response's body is read, and how much of it is kept. */
const MAX_READ = 16_384;
const MAX_KEPT = 4_096;
/** How many bytes of a connection a response may take in all, and how often that and the time are checked, in milliseconds. */
const MAX_BYTES = 262_144;
const CHECK_MS = 250;
/** Responses that may say when to come again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** What became of a request. */
export interface Sent {
  readonly durationMs: number;
  /** Null when there was no response. */
  readonly responseStatus: number | null;
  /** The beginning of the response; null where none came, and from an address that is not public. */
  readonly responseBody: string | null;
  /** Why there was no response. */
  readonly error: string | null;
  /** Where it went; null when there was no connection. */
  readonly address: string | null;
  readonly retryAfterMs: number | undefined;
}

export interface Sender {
  /** Posts a body for a team; never rejects, and never follows a redirect. */
  readonly send: (url: URL, headers: Readonly<Record<string, string>>, body: Buffer, teamId: string) => Promise<Sent>;
  readonly close: () => void;
}

interface SenderOptions {
  readonly allowed: AllowedTargets;
  /** Finds the addresses of a name. */
  readonly resolve: Resolve;
  /** How long a request may take in all, in milliseconds. */
  readonly totalMs?: number;
  /** How long a connection is used for further requests, in milliseconds; half a minute unless given. */
  readonly maxAgeMs?: number;
  readonly now: () => Date;
}

/**
 * Opens what posts to the addresses of tenants. Of the addresses of a name only those are dialled that may be, and where a
 * connection leads is checked again before anything is sent. It goes straight there: a proxy would look up the name itself.
 */
export function openSender({ allowed, resolve, totalMs = TOTAL_MS, maxAgeMs, now }: SenderOptions): Sender {
  const agents = openCheckedAgents({ allowed, resolve, maxAgeMs });
  const connections = openIdleConnections();
  const refusals = new WeakMap<URL, boolean>();
  const isRefused = (url: URL): boolean => {
    const refused = refusals.get(url) ?? refusalOf(url, allowed) !== null;
    refusals.set(url, refused);
    return refused;
  };

  const send: Sender['send'] = (url, headers, body, teamId) =>
    new Promise(fulfil => {
      const startedAt = performance.now();
      const isLast = connections.isFull(teamId);
      const end = connections.begin(teamId);
      const post = new Post(totalMs, ({ status, error, retryAfter }) => {
        const { address } = post;
        end();
        fulfil({
          durationMs: Math.round(performance.now() - startedAt),
          responseStatus: status,
          responseBody:
            status !== null && address !== null && isPublicAddress(address) ? beginningOf(post.chunks) : null,
          error,
          address,
          retryAfterMs: status !== null && WITH_RETRY_AFTER.has(status) ? readRetryAfter(retryAfter, now()) : undefined,
        });
      });
      if (isRefused(url)) return post.end('address_not_allowed');
      const isPlain = url.protocol === 'http:';
      const request = (isPlain ? httpRequest : httpsRequest)(url, {
        method: 'POST',
        agent: agents[isPlain ? 'http:' : 'https:'],
        headers: { ...headers, 'content-length': body.length, ...(isLast && { connection: 'close' }) },
        maxHeaderSize: MAX_HEADERS,
      });
      request.on('socket', socket => connections.use(teamId, socket));
      post.follow(request);
      request.end(body);
    });
  const close = (): void => {
    for (const agent of Object.values(agents)) agent.destroy();
  };
  return { send, close };
}

/** How a request ended: with a status, or with the reason why there is none. */
interface End {
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfter: string | undefined;
}

/** One request, which ends once. That a response is cut, slow or endless does not matter once its status is there. */
class Post {
  address: string | null = null;
  readonly chunks: Buffer[] = [];
  #length = 0;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #request: ClientRequest | undefined;
  #bytesRead = (): number => 0;
  #onEnd: ((end: End) => void) | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(totalMs: number, onEnd: (end: End) => void) {
    this.#onEnd = onEnd;
    const until = performance.now() + totalMs;
    this.#timer = setInterval(
      () => {
        if (performance.now() >= until) this.#abort('timeout');
        else if (this.#bytesRead() > MAX_BYTES) this.#abort('too_long');
      },
      Math.min(CHECK_MS, totalMs),
    );
  }

  /** Ends with this request. Responses before the last one, such as 100 and 103, are no end. */
  follow(request: ClientRequest): void {
    this.#request = request;
    request.on('socket', socket => this.#over(socket));
    request.on('response', response => this.#read(response));
    request.on('error', err => this.end(nameOf(err)));
  }

  #over(socket: Socket): void {
    const before = socket.bytesRead;
    this.address = socket.remoteAddress ?? null;
    this.#bytesRead = () => socket.bytesRead - before;
  }

  #read(response: IncomingMessage): void {
    this.#status = response.statusCode ?? null;
    this.#retryAfter = response.headers['retry-after'];
    response.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk);
      this.#length += chunk.length;
      if (this.#length >= MAX_READ) this.#abort('too_long');
    });
    response.on('error', err => this.end(nameOf(err)));
    response.on('end', () => this.end('no_response'));
  }

  /** Ends it, unless it has ended; the reason counts only if there was no response. */
  end(reason: string): void {
    clearInterval(this.#timer);
    const [onEnd, status] = [this.#onEnd, this.#status];
    this.#onEnd = undefined;
    onEnd?.({ status, error: status === null ? reason : null, retryAfter: this.#retryAfter });
  }

  #abort(reason: string): void {
    this.end(reason);
    this.#request?.destroy();
  }
}

/** Returns the beginning of a body as text that PostgreSQL can store. */
export const beginningOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks).subarray(0, MAX_KEPT).toString('utf8').replaceAll('\u0000', '\uFFFD');

const NAMES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^ADDRESS_NOT_ALLOWED$/, 'address_not_allowed'],
  [/^CONNECT_TIMEOUT$/, 'connect_timeout'],
  [/^NAME_NOT_RESOLVED$/, 'dns_error'],
  [/^(ERR_TLS.*|ERR_SSL.*|CERT.*|DEPTH_ZERO.*|SELF_SIGNED.*|UNABLE_TO.*|EPROTO)$/, 'tls_error'],
  [/^(ECONNREFUSED)$/, 'connection_refused'],
];

/** Returns a short name for why a request has failed. */
function nameOf(err: unknown): string {
  const { code, name, errors } = err as {
    readonly code?: string | number;
    readonly name?: string;
    readonly errors?: unknown[];
  };
  if (Array.isArray(errors) && errors.length > 0) return nameOf(errors[0]);
  const text = String(code ?? name);
  return NAMES.find(([pattern]) => pattern.test(text))?.[1] ?? 'connection_error';
}
