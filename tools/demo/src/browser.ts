import { errorBody } from '@billing/contracts/problem';
import type { z } from 'zod';
import { openCookieJar } from './cookie-jar.ts';

/** An answer that is no success, told with the request that got it. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;

  constructor(request: string, status: number, said: string) {
    super(`${request} answered ${status}: ${said}`);
    this.status = status;
  }
}

/** A member of a team at the gateway, with a session cookie once signed in. */
export interface Browser {
  post<Answer extends z.ZodType>(path: string, body: unknown, answer: Answer): Promise<z.output<Answer>>;
  get<Answer extends z.ZodType>(path: string, answer: Answer): Promise<z.output<Answer>>;
}

/** Sends requests as a page of the gateway would: with its cookies and its `Origin`. */
export function openBrowser(gatewayUrl: string, send: typeof fetch): Browser {
  const jar = openCookieJar();
  const { origin } = new URL(gatewayUrl);

  const request = async <Answer extends z.ZodType>(method: string, path: string, body: unknown, answer: Answer) => {
    const response = await send(`${gatewayUrl}${path}`, {
      method,
      headers: { origin, cookie: jar.header(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    jar.keep(response);
    const said: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer.parse(said);
    const problem = errorBody.safeParse(said).data?.error;
    throw new RefusedRequest(`${method} ${path}`, response.status, problem ? `${problem.code} ${problem.message}` : '');
  };
  return {
    post: (path, body, answer) => request('POST', path, body, answer),
    get: (path, answer) => request('GET', path, undefined, answer),
  };
}
