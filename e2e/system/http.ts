import { inject } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // What comes back is what the tests are about; each looks at the fields it expects.
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A caller of the gateway: with an API key, or with the cookies of a signed-in user. */
export class Caller {
  readonly #headers: Record<string, string>;
  readonly #gatewayUrl: string;
  readonly #cookies = new Map<string, string>();

  constructor(headers: Record<string, string> = {}, gatewayUrl = inject('gatewayUrl')) {
    this.#headers = headers;
    this.#gatewayUrl = gatewayUrl;
  }

  /** The signed-in user's, as a header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get = (path: string): Promise<Answer> => this.send('GET', path);
  post = (path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('POST', path, body, headers);
  put = (path: string, body: unknown): Promise<Answer> => this.send('PUT', path, body);
  patch = (path: string, body: unknown): Promise<Answer> => this.send('PATCH', path, body);
  delete = (path: string): Promise<Answer> => this.send('DELETE', path);

  /** Sends a form as a form, and anything else as JSON. */
  async send(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
    const headers: Record<string, string> = { ...this.#headers, ...more };
    if (this.#cookies.size > 0) headers['cookie'] = this.cookie;
    const isForm = body instanceof URLSearchParams;
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    const init = { method, headers, ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }) };
    const response = await fetch(`${this.#gatewayUrl}${path}`, init);
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  }

  #keep(cookie: string): void {
    const [pair = ''] = cookie.split(';', 1);
    const at = pair.indexOf('=');
    this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/** The body of an answer that must have succeeded. */
export async function ok(answering: Promise<Answer>, status = 200) {
  const { status: got, body } = await answering;
  if (got !== status) throw new Error(`Expected ${status}, got ${got}: ${JSON.stringify(body)}`);
  return body;
}
