import { Router, type Request as ExpressRequest } from 'express';
import { forbidden, Problem, unavailable, type ProblemKind, PROBLEM_STATUS } from '@billing/contracts/problem';
import { email, text } from '@billing/contracts/text';
import { z } from 'zod';
import type { RateLimits } from '#auth/rate-limits.ts';
import type { SignIn } from '#auth/sign-in.ts';
import { isCrossSite } from '#domain/browser-headers.ts';
import { readJson } from '#http/request-body.ts';
import type { GatewayResponse, Handler } from '#http/request-context.ts';
import { parse } from './operation-handler.ts';

interface Dependencies {
  readonly signIn: Pick<SignIn, 'handle' | 'ping'>;
  readonly rateLimits: Pick<RateLimits, 'takeSignIn'>;
  readonly publicUrl: string;
}

/** better-auth has its own rules for the length. */
const password = z.string().min(1).max(1_024);
/** True by default: the session outlives the browser. */
const rememberMe = z.boolean().optional();

export const signUpBody = z.object({ name: text(120), email, password, rememberMe });
export const signInBody = z.object({ email, password, rememberMe });

/** The error body of better-auth: https://better-auth.com/docs */
const errorBody = z.object({
  code: z.string().default('error'),
  message: z.string().default('The request was refused.'),
});

/** `/api/auth`: sign-up, sign-in, sign-out and the current session; no other route of better-auth is public. */
export function signInRoutes({ signIn, rateLimits, publicUrl }: Dependencies): Router {
  const { origin } = new URL(publicUrl);

  /** Forwards a request to better-auth with its cookies and an already validated body. */
  async function forward(request: ExpressRequest, response: GatewayResponse, body?: unknown): Promise<void> {
    if (isCrossSite(request.headers, origin)) throw forbidden();
    const headers = new Headers({ origin });
    if (request.headers.cookie !== undefined) headers.set('cookie', request.headers.cookie);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const url = new URL(`/api/auth${request.url}`, origin);
    const { method } = request;
    const result = await signIn.handle(
      new Request(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    );
    await send(response, result);
  }

  async function send(response: GatewayResponse, result: Response): Promise<void> {
    const body: unknown = JSON.parse((await result.text()) || 'null');
    if (result.status >= 500) throw await causeOfFailure(signIn);
    for (const cookie of result.headers.getSetCookie()) response.append('Set-Cookie', cookie);
    const { requestId } = response.locals;
    response.status(result.status).json(result.ok ? body : toErrorBody(body, result.status, requestId));
  }

  const postSignUp: Handler = async (request, response) =>
    forward(request, response, parse(signUpBody, await readJson(request)));
  const postSignIn: Handler = async (request, response) => {
    await rateLimits.takeSignIn(request.ip ?? '');
    await forward(request, response, parse(signInBody, await readJson(request)));
  };
  const postSignOut: Handler = async (request, response) => {
    await readJson(request);
    await forward(request, response);
  };
  const getSession: Handler = (request, response) => forward(request, response);

  return Router({ caseSensitive: true, strict: true })
    .post('/sign-up/email', postSignUp)
    .post('/sign-in/email', postSignIn)
    .post('/sign-out', postSignOut)
    .get('/get-session', getSession);
}

/** Adds the error body of this API to `code` and `message`, which better-auth's clients read. */
function toErrorBody(body: unknown, status: number, requestId: string) {
  const { code, message } = errorBody.parse(body ?? {});
  const kind = kindOf(status);
  const problemCode = kind === 'unauthorized' || kind === 'forbidden' ? kind : code.toLowerCase();
  return { code, message, ...new Problem(kind, problemCode, message).toBody(requestId) };
}

function kindOf(status: number): ProblemKind {
  const kinds = Object.entries(PROBLEM_STATUS) as [ProblemKind, number][]; // an object's keys are typed as string
  return kinds.find(([, kindStatus]) => kindStatus === status)?.[0] ?? 'validation';
}

/** better-auth returns 500 without a reason, which it only logs; usually the database is down. */
async function causeOfFailure(signIn: Pick<SignIn, 'ping'>): Promise<Error> {
  try {
    await signIn.ping();
    return new Error('better-auth failed; the previous log line has the reason.');
  } catch (cause) {
    return unavailable('Sign-in is not available at the moment.', 2, { cause });
  }
}
