interface RequestOptions {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of many shapes
  readonly body: any;
}

/** Sends a request and reads the whole response. */
export type Call = (method: string, path: string, options?: RequestOptions) => Promise<HttpResponse>;

/** Creates a client for the server at `url`. */
export const httpClient =
  (url: string): Call =>
  async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type') ?? '').startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };

/** Returns the cookies that a response sets, as a browser sends them back. */
export const cookieOf = (response: HttpResponse): string =>
  response.headers
    .getSetCookie()
    .map(cookie => cookie.split(';', 1)[0])
    .join('; ');

/** Returns the body without the request id, so that equal errors compare as equal. */
export const withoutRequestId = (response: HttpResponse): string =>
  response.text.replace(response.headers.get('x-request-id') ?? /never/, '…');
