import { errorBody } from '@billing/contracts/problem';
import type { z } from 'zod';
import { openCookieJar } from './cookie-jar.ts';

/** A response with an error status. The message names the request. */
export class FailedRequest extends Error {
  override readonly name = 'FailedRequest';
  readonly status: number;

  constructor(request: string, status: number, reason: string) {
    super(`${request} returned ${status}: ${reason}`);
    this.status = status;
  }
}

/** A browser session at the gateway; requests are authenticated once the user has signed in. */
export interface Browser {
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema): Promise<z.output<Schema>>;
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>;
}

/** Opens a session that sends requests as a page of the gateway does, with cookies and `Origin`. */
export function openBrowser(gatewayUrl: string, send: typeof fetch): Browser {
  const jar = openCookieJar();
  const { origin } = new URL(gatewayUrl);

  const request = async <Schema extends z.ZodType>(method: string, path: string, body: unknown, schema: Schema) => {
    const response = await send(`${gatewayUrl}${path}`, {
      method,
      headers: { origin, cookie: jar.header(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    jar.save(response);
    const responseBody: unknown = await response.json().catch(() => undefined);
    if (response.ok) return schema.parse(responseBody);
    const problem = errorBody.safeParse(responseBody).data?.error;
    throw new FailedRequest(`${method} ${path}`, response.status, problem ? `${problem.code} ${problem.message}` : '');
  };
  return {
    post: (path, body, schema) => request('POST', path, body, schema),
    get: (path, schema) => request('GET', path, undefined, schema),
  };
}
