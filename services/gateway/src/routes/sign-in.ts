import { Router } from 'express';
import type { z } from 'zod';
import { INVALID_LINK, sendAnswer, WRONG_PASSWORD, type AskBetterAuth } from '#auth/ask-better-auth.ts';
import { hashedKey, type RateLimits } from '#auth/rate-limits.ts';
import type { SecretChecks } from '#auth/secret-checks.ts';
import type { SessionCookies } from '#auth/session-cookies.ts';
import type { Sessions } from '#auth/sessions.ts';
import type { SignIn } from '#auth/sign-in.ts';
import { isLocalUrl, isLoopback } from '#domain/addresses.ts';
import { requireUncommonPassword } from '#domain/password.ts';
import { routeNotFound } from '#http/problem-response.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import { readJson } from '#http/request-body.ts';
import type { Handler } from '#http/request-context.ts';
import type { SignInAdmission } from '#limits/sign-in-admission.ts';
import { parse } from './operation-handler.ts';
import {
  changePasswordBody,
  codeBody,
  oneTimeTokenBody,
  passwordBody,
  requestResetBody,
  resetPasswordBody,
  revokeSessionBody,
  signInBody,
  signUpBody,
  verifyEmailBody,
} from './sign-in-bodies.ts';

interface Dependencies {
  readonly ask: AskBetterAuth;
  readonly checks: SecretChecks;
  readonly admission: SignInAdmission;
  readonly sessions: Pick<Sessions, 'recordPasswordCheck'>;
  readonly cookies: Pick<SessionCookies, 'tokenOf'>;
  readonly rateLimits: Pick<RateLimits, 'session'>;
  readonly signIn: Pick<SignIn, 'findUserOfLink' | 'confirmAddress' | 'users'>;
  /** @throws Problem 403 `sign_up_closed` */
  readonly requireMayRegister: (email: string) => Promise<void>;
  readonly publicUrl: string;
  readonly now: () => Date;
}

/** `/api/auth`: sign-up, sign-in, sessions, passwords and the second factor; no other route of better-auth is public. */
export function signInRoutes(dependencies: Dependencies): Router {
  const { ask, checks, admission, sessions, cookies, rateLimits, publicUrl, now } = dependencies;
  const { signIn, requireMayRegister } = dependencies;

  /** Before any query: whoever holds one session can't keep others from theirs. */
  const limitSession: Handler = async ({ headers }, response, next) => {
    const token = cookies.tokenOf(headers.cookie);
    if (token !== undefined) requireWithin(response, await rateLimits.session.take(hashedKey(token)));
    next();
  };
  const postSignUp: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(signUpBody, await readJson(request));
    await requireMayRegister(body.email);
    requireUncommonPassword(body.password, body);
    sendAnswer(response, await ask(request, body));
  };
  const postSignIn: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(signInBody, await readJson(request));
    const { answer } = await checks.run(response, body, () => ask(request, body));
    sendAnswer(response, answer);
  };
  const get: Handler = async (request, response) => sendAnswer(response, await ask(request));
  const postWithoutBody: Handler = async (request, response) => {
    await readJson(request);
    sendAnswer(response, await ask(request));
  };
  const post =
    (schema: z.ZodType): Handler =>
    async (request, response) =>
      sendAnswer(response, await ask(request, parse(schema, await readJson(request))));
  /** Counts for the address, because it has mail sent or tries a token. */
  const postLimited =
    (schema: z.ZodType): Handler =>
    async (request, response, next) => {
      await admission.takeAddress(response);
      return post(schema)(request, response, next);
    };
  const postReset: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(resetPasswordBody, await readJson(request));
    requireUncommonPassword(body.newPassword);
    sendAnswer(response, await ask(request, body));
  };
  /** Confirms the address of a new account, and signs in. */
  const postVerifyEmail: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const { token, password } = parse(verifyEmailBody, await readJson(request));
    const userId = await signIn.findUserOfLink('verify-email', token);
    const [user] = userId === undefined ? [] : await signIn.users.findAll([userId]);
    if (!user) return sendAnswer(response, INVALID_LINK);
    const { answer } = await checks.run(response, { email: user.email }, async () => {
      if (!(await signIn.confirmAddress(user.id, { token, password }))) return WRONG_PASSWORD;
      return ask(request, { email: user.email, password }, '/sign-in/email');
    });
    sendAnswer(response, answer);
  };
  /** Tries a password of the signed-in user; `prepare` makes what better-auth gets, `onRight` runs before the response. */
  const postPassword =
    <Body extends object>(
      schema: z.ZodType<Body>,
      {
        prepare = body => body,
        onRight,
      }: { prepare?: (body: Body) => object; onRight?: (token: string) => Promise<void> } = {},
    ): Handler =>
    async (request, response) => {
      await admission.takeAddress(response);
      const body = prepare(parse(schema, await readJson(request)));
      const claim = await checks.claimOf(request);
      const send = () => ask(request, body);
      // better-auth refuses a request without a session.
      if (claim?.token === undefined) return sendAnswer(response, await send());
      const { answer, outcome } = await checks.run(response, claim, send);
      if (outcome === 'right') await onRight?.(claim.token);
      sendAnswer(response, answer);
    };
  /** Tries a code: of the signed-in user, or to complete a sign-in. */
  const postCode =
    (kind: 'totp' | 'backup'): Handler =>
    async (request, response) => {
      await admission.takeAddress(response);
      const body = parse(codeBody, await readJson(request));
      const claim = await checks.claimOf(request);
      const send = () => ask(request, body);
      if (!claim) return sendAnswer(response, await send());
      const { answer } =
        kind === 'totp'
          ? await checks.runCode(response, claim, body.code, send)
          : await checks.run(response, claim, send);
      sendAnswer(response, answer);
    };
  const changePassword = (body: z.output<typeof changePasswordBody>) => {
    requireUncommonPassword(body.newPassword);
    return { ...body, revokeOtherSessions: true };
  };

  /** As if there were no such route, to everyone on other machines. */
  const localOnly: Handler = (request, _response, next) => {
    if (!isLoopback(request.socket.remoteAddress ?? '')) throw routeNotFound();
    next();
  };
  const router = Router({ caseSensitive: true, strict: true }).use(limitSession);
  if (isLocalUrl(publicUrl))
    router
      .get('/one-time-token/generate', localOnly, get)
      .post('/one-time-token/verify', localOnly, postLimited(oneTimeTokenBody));
  return router
    .post('/sign-up/email', postSignUp)
    .post('/sign-in/email', postSignIn)
    .post('/sign-out', postWithoutBody)
    .get('/get-session', get)
    .get('/list-sessions', get)
    .post('/revoke-session', post(revokeSessionBody))
    .post('/revoke-sessions', postWithoutBody)
    .post('/revoke-other-sessions', postWithoutBody)
    .post(
      '/verify-password',
      postPassword(passwordBody, { onRight: token => sessions.recordPasswordCheck(token, now()) }),
    )
    .post('/change-password', postPassword(changePasswordBody, { prepare: changePassword }))
    .post('/request-password-reset', postLimited(requestResetBody))
    .post('/reset-password', postReset)
    .post('/verify-email', postVerifyEmail)
    .post('/two-factor/enable', postPassword(passwordBody))
    .post('/two-factor/disable', postPassword(passwordBody))
    .post('/two-factor/generate-backup-codes', postPassword(passwordBody))
    .post('/two-factor/verify-totp', postCode('totp'))
    .post('/two-factor/verify-backup-code', postCode('backup'));
}
