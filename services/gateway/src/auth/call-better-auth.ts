import type { Request as ExpressRequest } from 'express';
import { Problem, unavailable, type ProblemKind, PROBLEM_STATUS } from '@billing/contracts/problem';
import { z } from 'zod';
import { crossSite, isCrossSite } from '#domain/browser-headers.ts';
import { hideRateLimits } from '#http/rate-limit-headers.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import type { CheckOutcome } from './sessions.ts';
import type { SessionCookies } from './session-cookies.ts';
import { LOCKOUT_SECONDS } from './sign-in-options.ts';
import type { SignIn } from './sign-in.ts';

interface Dependencies {
  readonly signIn: Pick<SignIn, 'handle' | 'ping'>;
  readonly cookies: Pick<SessionCookies, 'ofSignIn'>;
  readonly publicUrl: string;
}

/** What better-auth has returned; nothing is sent yet. */
export interface AuthResult {
  readonly status: number;
  readonly body: unknown;
  readonly cookies: readonly string[];
}

/**
 * Calls better-auth, with the request's cookies of sign-in and an already validated body; at another path than the request's
 * if one is given.
 * @throws Problem 403 for a page of another site, 503 when the database does not respond
 */
export type CallBetterAuth = (request: ExpressRequest, body?: unknown, path?: string) => Promise<AuthResult>;

/** How much of a browser's name is kept, so that people recognize their sessions. */
const USER_AGENT_LENGTH = 256;

export function callBetterAuth({ signIn, cookies, publicUrl }: Dependencies): CallBetterAuth {
  const { origin } = new URL(publicUrl);

  return async ({ method, url, headers: received }, body, path = url) => {
    if (isCrossSite(received, origin)) throw crossSite(origin);
    const headers = new Headers({ origin });
    const cookie = cookies.ofSignIn(received.cookie);
    if (cookie !== undefined) headers.set('cookie', cookie);
    const userAgent = received['user-agent'];
    if (userAgent !== undefined) headers.set('user-agent', userAgent.slice(0, USER_AGENT_LENGTH));
    if (body !== undefined) headers.set('content-type', 'application/json');
    // Node sends no body in response to HEAD.
    const init = {
      method: method === 'HEAD' ? 'GET' : method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await signIn.handle(new Request(new URL(`/api/auth${path}`, origin), init));
    const text = await response.text();
    if (response.status >= 500) throw await causeOfFailure(signIn);
    return { status: response.status, body: JSON.parse(text || 'null'), cookies: response.headers.getSetCookie() };
  };
}

/** Sends a result of better-auth, an error in the form of this API as well. */
export function sendResult(response: GatewayResponse, { status, body, cookies }: AuthResult): void {
  for (const cookie of cookies) response.append('Set-Cookie', cookie);
  if (status === PROBLEM_STATUS.rate_limited) {
    hideRateLimits(response);
    response.set('Retry-After', String(LOCKOUT_SECONDS));
  }
  response.status(status).json(status < 400 ? body : toErrorBody(body, status, response.locals.requestId));
}

/** What better-auth says of a wrong password or code. */
const WRONG = new Set(['INVALID_EMAIL_OR_PASSWORD', 'INVALID_PASSWORD', 'INVALID_CODE', 'INVALID_BACKUP_CODE']);

/** Returns what the check of a password or a code has found. */
export function outcomeOf({ status, body }: AuthResult): CheckOutcome {
  if (status < 400) return 'right';
  return WRONG.has(errorBody.parse(body ?? {}).code) ? 'wrong' : 'none';
}

/** Whether an account was not stored, for whatever reason: its address may have been registered at the same moment. */
export const isNotStored = ({ status, body }: AuthResult): boolean =>
  status >= 400 && errorBody.parse(body ?? {}).code === 'FAILED_TO_CREATE_USER';

/** A refusal in the words of better-auth. */
const refusal = (status: number, code: string, message: string): AuthResult => ({
  status,
  body: { code, message },
  cookies: [],
});
export const INVALID_LINK = refusal(400, 'INVALID_TOKEN', 'Invalid token');
export const WRONG_PASSWORD = refusal(400, 'INVALID_PASSWORD', 'Invalid password');
/** To a code that was used before, as to a wrong one. */
export const USED_CODE = refusal(401, 'INVALID_CODE', 'Invalid code');

/** The error body of better-auth: https://better-auth.com/docs */
const errorBody = z.object({
  code: z.string().default('error'),
  message: z.string().default('The request was refused.'),
});

/** Adds the error body of this API to `code` and `message`, which better-auth's clients read. */
function toErrorBody(body: unknown, status: number, requestId: string) {
  const { code, message } = errorBody.parse(body ?? {});
  const kind = kindOf(status);
  const hasGeneralCode = kind === 'unauthorized' || kind === 'forbidden' || kind === 'rate_limited';
  const isUnconfirmed = code === 'EMAIL_NOT_VERIFIED';
  const problemCode = hasGeneralCode && !isUnconfirmed ? kind : code.toLowerCase();
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
