import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request, type DiagnosticsChannel } from 'undici';
import { isSuccess } from '#domain/endpoint-health.ts';
import { readRetryAfter } from '#domain/retry-schedule.ts';
import { isPublicAddress } from '#domain/sent-addresses.ts';
import { isAllowedAddress, refusalOf, type AllowedTargets } from '#domain/sent-urls.ts';
import type { Resolve } from './resolve-names.ts';

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** How long the headers of a response may be: what is longer is no response. */
const MAX_HEADERS = 65_536;
/** How much of a response is read, and how much of it is kept. */
const MAX_READ = 16_384;
const MAX_KEPT = 4_096;
/** Responses that may say when to come again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** Where undici publishes which connection a request goes over. */
const SEND_HEADERS = 'undici:client:sendHeaders';

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
  /** Posts a body; never rejects, and never follows a redirect. */
  readonly send: (url: URL, headers: Readonly<Record<string, string>>, body: Buffer) => Promise<Sent>;
  readonly close: () => Promise<void>;
}

interface SenderOptions {
  readonly allowed: AllowedTargets;
  /** Finds the addresses of a name. */
  readonly resolve: Resolve;
  /** How long a request may take in all, in milliseconds. */
  readonly totalMs?: number;
  readonly now: () => Date;
}

/** What is learned about a request while it is on its way. */
interface OnTheWay {
  address: string | null;
}

class AddressNotAllowed extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';
  constructor() {
    super('The address is not public, and the operator has not opened it.');
  }
}

/**
 * Opens what posts to the addresses of tenants. Of the addresses of a name only those are dialled that may be, and where a
 * connection leads is checked again before anything is sent.
 */
export function openSender({ allowed, resolve, totalMs = TOTAL_MS, now }: SenderOptions): Sender {
  const agent = new Agent({ connect: checkedConnect(allowed, resolve), maxHeaderSize: MAX_HEADERS });
  const requests = new WeakMap<object, OnTheWay>();
  const noteAddress = (message: unknown): void => {
    const { request: sent, socket } = message as DiagnosticsChannel.ClientSendHeadersMessage & {
      readonly request: { readonly body?: object };
    };
    const onTheWay = sent.body && requests.get(sent.body);
    if (onTheWay) onTheWay.address = socket.remoteAddress ?? null;
  };
  subscribe(SEND_HEADERS, noteAddress);

  const send: Sender['send'] = async (url, headers, body) => {
    const startedAt = performance.now();
    const onTheWay: OnTheWay = { address: null };
    const end = (result: Partial<Sent>): Sent => ({
      responseStatus: null,
      responseBody: null,
      error: null,
      address: onTheWay.address,
      retryAfterMs: undefined,
      ...result,
      durationMs: Math.round(performance.now() - startedAt),
    });
    if (refusalOf(url, allowed)) return end({ error: 'address_not_allowed' });
    // The same bytes may be on their way to other endpoints: a view of them is this request's alone.
    const ownBody = body.subarray();
    requests.set(ownBody, onTheWay);
    try {
      const response = await request(url, {
        method: 'POST',
        headers,
        body: ownBody,
        dispatcher: agent,
        signal: AbortSignal.timeout(totalMs),
      });
      const { statusCode } = response;
      const text = await readBeginning(response.body);
      const retryAfter = response.headers['retry-after'];
      return end({
        responseStatus: statusCode,
        responseBody: onTheWay.address !== null && isPublicAddress(onTheWay.address) ? text : null,
        retryAfterMs:
          !isSuccess(statusCode) && WITH_RETRY_AFTER.has(statusCode)
            ? readRetryAfter(typeof retryAfter === 'string' ? retryAfter : undefined, now())
            : undefined,
      });
    } catch (err) {
      return end({ error: nameOf(err) });
    }
  };
  const close = (): Promise<void> => {
    unsubscribe(SEND_HEADERS, noteAddress);
    return agent.destroy();
  };
  return { send, close };
}

/** Connects to allowed addresses only. */
const checkedConnect =
  (allowed: AllowedTargets, resolve: Resolve): buildConnector.connector =>
  (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    const lookup = checkedLookup(url, allowed, resolve);
    const connect = buildConnector({ lookup, timeout: CONNECT_MS, allowH2: false });
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      const address = socket?.remoteAddress;
      if (socket && address !== undefined && isAllowedAddress(url, address, allowed)) return callback(null, socket);
      socket?.destroy();
      callback(new AddressNotAllowed(), null);
    });
  };

/** Looks up a name, and leaves out the addresses that nothing may be sent to. */
const checkedLookup =
  (url: URL, allowed: AllowedTargets, resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    const look = async (): Promise<void> => {
      const found = await resolve(hostname).catch((err: Error) => err);
      if (found instanceof Error) return callback(found, []);
      const usable = found.filter(address => isAllowedAddress(url, address, allowed));
      const [first] = usable;
      if (first === undefined) callback(new AddressNotAllowed(), []);
      else if (options.all)
        callback(
          null,
          usable.map(address => ({ address, family: isIP(address) })),
        );
      else callback(null, first, isIP(first));
    };
    void look();
  };

/** Reads the first bytes of a body as text; that it is cut, slow or endless does not matter. */
export async function readBeginning(body: AsyncIterable<Buffer> & { destroy: () => void }): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_READ) break;
    }
  } catch {
    // What came is kept.
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, MAX_KEPT).toString('utf8').replaceAll('\u0000', '\uFFFD');
}

const NAMES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^ADDRESS_NOT_ALLOWED$/, 'address_not_allowed'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'connect_timeout'],
  [/^(ABORT_ERR|23|TimeoutError)$/, 'timeout'],
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
