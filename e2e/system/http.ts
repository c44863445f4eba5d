import { BillingError } from '@billing/client';
import { inject } from 'vitest';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // Each test checks the fields it expects.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Sends requests to the gateway, with an API key or with the cookies of a signed-in user. */
export class Caller {
  readonly #headers: Record<string, string>;
  readonly #gatewayUrl: string;
  readonly #cookies = new Map<string, string>();

  constructor(headers: Record<string, string> = {}, gatewayUrl = inject('gatewayUrl')) {
    this.#headers = headers;
    this.#gatewayUrl = gatewayUrl;
  }

  /** The session cookies, as a header value. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get = (path: string): Promise<ApiResponse> => this.send('GET', path);
  post = (path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    this.send('POST', path, body, headers);
  put = (path: string, body: unknown): Promise<ApiResponse> => this.send('PUT', path, body);
  patch = (path: string, body: unknown): Promise<ApiResponse> => this.send('PATCH', path, body);
  delete = (path: string): Promise<ApiResponse> => this.send('DELETE', path);

  /** Sends URLSearchParams as a form, and any other body as JSON. */
  async send(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<ApiResponse> {
    const headers: Record<string, string> = { ...this.#headers, ...more };
    if (this.#cookies.size > 0) headers['cookie'] = this.cookie;
    const isForm = body instanceof URLSearchParams;
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    const init = { method, headers, ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }) };
    const response = await fetch(`${this.#gatewayUrl}${path}`, init);
    for (const cookie of response.headers.getSetCookie()) this.#storeCookie(cookie);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  }

  #storeCookie(cookie: string): void {
    const [pair = ''] = cookie.split(';', 1);
    const at = pair.indexOf('=');
    this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/**
 * Returns the body of a successful response.
 * @throws Error when the status differs
 */
export async function ok(responding: Promise<ApiResponse>, status = 200) {
  const { status: got, body } = await responding;
  if (got !== status) throw new Error(`Expected ${status}, got ${got}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * Returns the error of a client call that must fail.
 * @throws Error when the call succeeds or fails in another way
 */
export async function errorOf(calling: Promise<unknown>): Promise<BillingError> {
  const error = await calling.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BillingError) return error;
  throw new Error('Expected a BillingError.', { cause: error });
}
