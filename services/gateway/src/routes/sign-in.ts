import { Router, type Request as ExpressRequest } from 'express';
import { Problem, unavailable, type ProblemKind, PROBLEM_STATUS } from '@billing/contracts/problem';
import { email, text } from '@billing/contracts/text';
import { z } from 'zod';
import type { SignIn } from '#auth/sign-in.ts';
import { isLocalUrl, isLoopback } from '#domain/addresses.ts';
import { crossSite, isCrossSite } from '#domain/browser-headers.ts';
import { requireUncommonPassword } from '#domain/password.ts';
import { routeNotFound } from '#http/problem-response.ts';
import { readJson } from '#http/request-body.ts';
import type { GatewayResponse, Handler } from '#http/request-context.ts';
import type { SignInAdmission } from '#limits/sign-in-admission.ts';
import { parse } from './operation-handler.ts';

interface Dependencies {
  readonly signIn: Pick<SignIn, 'handle' | 'ping'>;
  readonly admission: SignInAdmission;
  readonly publicUrl: string;
}

/** better-auth checks the length of a new one. */
const password = z.string().min(1).max(1_024).meta({ example: 'correct horse battery staple' });
const newPassword = password.meta({ example: 'a staple holds the horse' });
/** True by default: the session outlives the browser. */
const rememberMe = z.boolean().optional();
const address = email.meta({ example: 'grace@acme.example' });

export const signUpBody = z
  .object({ name: text(120), email: address, password, rememberMe })
  .meta({ example: { name: 'Grace Hopper' } });
export const signInBody = z.object({ email: address, password, rememberMe });
export const passwordBody = z.object({ password });
export const changePasswordBody = z.object({ currentPassword: password, newPassword });
export const requestResetBody = z.object({ email: address });
export const resetPasswordBody = z.object({
  newPassword,
  token: text(128).meta({ example: 'k3V9sT1wQ7xZ5bN8mR2cY6dL0pF4hJ7gA1eU3iO5tXs' }),
});
export const revokeSessionBody = z.object({ token: text(128).meta({ example: 'EXAMPLEexampleEXAMPLEexampleEXAM' }) });
const oneTimeTokenBody = z.object({ token: text(128) });
export const codeBody = z.object({ code: text(32).meta({ example: '492039' }) });

/** How much of a browser's name is kept, so that people recognize their sessions. */
const USER_AGENT_LENGTH = 256;

/** The error body of better-auth: https://better-auth.com/docs */
const errorBody = z.object({
  code: z.string().default('error'),
  message: z.string().default('The request was refused.'),
});

/** `/api/auth`: sign-up, sign-in, sessions, passwords and the second factor; no other route of better-auth is public. */
export function signInRoutes({ signIn, admission, publicUrl }: Dependencies): Router {
  const { origin } = new URL(publicUrl);

  /** Forwards a request to better-auth with its cookies and an already validated body. */
  async function forward(request: ExpressRequest, response: GatewayResponse, body?: unknown): Promise<void> {
    if (isCrossSite(request.headers, origin)) throw crossSite(origin);
    const headers = new Headers({ origin });
    if (request.headers.cookie !== undefined) headers.set('cookie', request.headers.cookie);
    const userAgent = request.headers['user-agent'];
    if (userAgent !== undefined) headers.set('user-agent', userAgent.slice(0, USER_AGENT_LENGTH));
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

  const postSignUp: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(signUpBody, await readJson(request));
    requireUncommonPassword(body.password, body);
    await forward(request, response, body);
  };
  const postSignIn: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(signInBody, await readJson(request));
    const forgive = await admission.takeAccount(body.email, response);
    try {
      await forward(request, response, body);
    } catch (err) {
      forgive(false);
      throw err;
    }
    if (response.statusCode !== 401) forgive(response.statusCode === 200);
  };
  const postWithoutBody: Handler = async (request, response) => {
    await readJson(request);
    await forward(request, response);
  };
  const get: Handler = (request, response) => forward(request, response);
  const post =
    (schema: z.ZodType): Handler =>
    async (request, response) =>
      forward(request, response, parse(schema, await readJson(request)));
  /** Counts as a sign-in, because it checks a password, a code or a token. */
  const postSecret =
    (schema: z.ZodType): Handler =>
    async (request, response, next) => {
      await admission.takeAddress(response);
      return post(schema)(request, response, next);
    };
  const postNewPassword =
    <Body extends { readonly newPassword: string }>(schema: z.ZodType<Body>, fixed: object = {}): Handler =>
    async (request, response) => {
      await admission.takeAddress(response);
      const body = parse(schema, await readJson(request));
      requireUncommonPassword(body.newPassword);
      await forward(request, response, { ...body, ...fixed });
    };

  /** As if there were no such route, to everyone on other machines. */
  const localOnly: Handler = (request, _response, next) => {
    if (!isLoopback(request.socket.remoteAddress ?? '')) throw routeNotFound();
    next();
  };
  const router = Router({ caseSensitive: true, strict: true });
  if (isLocalUrl(publicUrl))
    router
      .get('/one-time-token/generate', localOnly, get)
      .post('/one-time-token/verify', localOnly, postSecret(oneTimeTokenBody));
  return router
    .post('/sign-up/email', postSignUp)
    .post('/sign-in/email', postSignIn)
    .post('/sign-out', postWithoutBody)
    .get('/get-session', get)
    .get('/list-sessions', get)
    .post('/revoke-session', post(revokeSessionBody))
    .post('/revoke-sessions', postWithoutBody)
    .post('/revoke-other-sessions', postWithoutBody)
    .post('/verify-password', postSecret(passwordBody))
    .post('/change-password', postNewPassword(changePasswordBody, { revokeOtherSessions: true }))
    .post('/request-password-reset', postSecret(requestResetBody))
    .post('/reset-password', postNewPassword(resetPasswordBody))
    .post('/two-factor/enable', postSecret(passwordBody))
    .post('/two-factor/disable', postSecret(passwordBody))
    .post('/two-factor/generate-backup-codes', postSecret(passwordBody))
    .post('/two-factor/verify-totp', postSecret(codeBody))
    .post('/two-factor/verify-backup-code', postSecret(codeBody));
}

/** Adds the error body of this API to `code` and `message`, which better-auth's clients read. */
function toErrorBody(body: unknown, status: number, requestId: string) {
  const { code, message } = errorBody.parse(body ?? {});
  const kind = kindOf(status);
  const hasGeneralCode = kind === 'unauthorized' || kind === 'forbidden' || kind === 'rate_limited';
  const problemCode = hasGeneralCode ? kind : code.toLowerCase();
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
