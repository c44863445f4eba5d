import type { SignInAction } from '@billing/contracts/resources/audit-entry';
import { Router } from 'express';
import { z } from 'zod';
import { INVALID_LINK, isNotStored, sendResult, WRONG_PASSWORD, type CallBetterAuth } from '#auth/call-better-auth.ts';
import { hashedKey, type RateLimits } from '#auth/rate-limits.ts';
import type { SecretChecks } from '#auth/secret-checks.ts';
import type { SessionCookies } from '#auth/session-cookies.ts';
import type { CheckOutcome, Sessions } from '#auth/sessions.ts';
import type { SignIn } from '#auth/sign-in.ts';
import { isLocalUrl, isLoopback } from '#domain/addresses.ts';
import { requireUncommonPassword } from '#domain/password.ts';
import { asGivenOut } from '#domain/second-factor-codes.ts';
import { routeNotFound } from '#http/problem-response.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import { readJson } from '#http/request-body.ts';
import type { GatewayResponse, Handler } from '#http/request-context.ts';
import type { SignInAdmission } from '#limits/sign-in-admission.ts';
import type { SignInEvent } from '#operations/record-sign-in.ts';
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
  updateUserBody,
  verifyEmailBody,
} from './sign-in-bodies.ts';

interface Dependencies {
  readonly call: CallBetterAuth;
  readonly checks: SecretChecks;
  readonly admission: SignInAdmission;
  readonly sessions: Pick<Sessions, 'recordPasswordCheck'>;
  readonly cookies: Pick<SessionCookies, 'tokenOf'>;
  readonly rateLimits: Pick<RateLimits, 'session'>;
  readonly signIn: Pick<SignIn, 'findUserOfLink' | 'confirmAddress' | 'users'>;
  /** @throws Problem 403 `sign_up_closed` */
  readonly requireMayRegister: (email: string, invitationToken: string | undefined) => Promise<void>;
  readonly recordSignIn: (event: SignInEvent) => Promise<void>;
  readonly publicUrl: string;
  readonly now: () => Date;
}

/** What better-auth returns for a sign-in that needs no second factor. */
const signedInUser = z.object({ user: z.object({ id: z.string() }) });

/** `/api/auth`: sign-up, sign-in, sessions, passwords and the second factor; no other route of better-auth is public. */
export function signInRoutes(dependencies: Dependencies): Router {
  const { call, checks, admission, sessions, cookies, rateLimits, publicUrl, now } = dependencies;
  const { signIn, requireMayRegister, recordSignIn } = dependencies;

  /** Records what a check has found, or an end of sessions, which is right. */
  async function record({ locals }: GatewayResponse, userId: string, endpoint: SignInAction, outcome: CheckOutcome) {
    const { requestId, address } = locals;
    const recorded = outcome === 'right' ? 'succeeded' : 'refused';
    if (outcome !== 'none') await recordSignIn({ userId, endpoint, outcome: recorded, requestId, address });
  }
  /** Before any query: whoever holds one session can't keep others from theirs. */
  const limitSession: Handler = async ({ headers }, response, next) => {
    const token = cookies.tokenOf(headers.cookie);
    if (token !== undefined) requireWithin(response, await rateLimits.session.take(hashedKey(token)));
    next();
  };
  const postSignUp: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const { invitationToken, ...body } = parse(signUpBody, await readJson(request));
    await requireMayRegister(body.email, invitationToken);
    requireUncommonPassword(body.password, body);
    const result = await call(request, body);
    // Called again, better-auth says that there is an account, or that the database does not respond.
    sendResult(response, isNotStored(result) ? await call(request, body) : result);
  };
  const postSignIn: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(signInBody, await readJson(request));
    const { result, outcome } = await checks.run(response, body, () => call(request, body));
    const signedIn = signedInUser.safeParse(result.body).data;
    if (outcome === 'right' && signedIn) await record(response, signedIn.user.id, 'signIn', outcome);
    sendResult(response, result);
    // Afterwards, so that nobody can tell a registered address by the time.
    if (outcome !== 'wrong') return;
    const user = await signIn.users.findByEmail(body.email);
    if (user) await record(response, user.id, 'signIn', outcome);
  };
  const get: Handler = async (request, response) => sendResult(response, await call(request));
  /** Changes what needs a session alone: it ends sessions, that of the request or what the body names, or renames the user. */
  const postRecorded =
    (endpoint: SignInAction, schema?: z.ZodType): Handler =>
    async (request, response) => {
      const json = await readJson(request);
      const body = schema && parse(schema, json);
      const claim = await checks.claimOf(request);
      const result = await call(request, body);
      if (claim?.token !== undefined && result.status < 400) await record(response, claim.userId, endpoint, 'right');
      sendResult(response, result);
    };
  /** Counts for the address, because it has mail sent or tries a token. */
  const postLimited =
    (schema: z.ZodType): Handler =>
    async (request, response) => {
      await admission.takeAddress(response);
      const result = await call(request, parse(schema, await readJson(request)));
      // A link that signs in, on the gateway's own machine.
      const signedIn = signedInUser.safeParse(result.body).data;
      if (signedIn) await record(response, signedIn.user.id, 'signIn', 'right');
      sendResult(response, result);
    };
  const postReset: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const body = parse(resetPasswordBody, await readJson(request));
    requireUncommonPassword(body.newPassword);
    const userId = await signIn.findUserOfLink('reset-password', body.token);
    const result = await call(request, body);
    if (userId !== undefined && result.status < 400) await record(response, userId, 'resetPassword', 'right');
    sendResult(response, result);
  };
  /** Confirms the address of a new account, and signs in. */
  const postVerifyEmail: Handler = async (request, response) => {
    await admission.takeAddress(response);
    const { token, password } = parse(verifyEmailBody, await readJson(request));
    const userId = await signIn.findUserOfLink('verify-email', token);
    const [user] = userId === undefined ? [] : await signIn.users.findAll([userId]);
    if (!user) return sendResult(response, INVALID_LINK);
    const { result, outcome } = await checks.run(response, { email: user.email }, async () => {
      if (!(await signIn.confirmAddress(user.id, { token, password }))) return WRONG_PASSWORD;
      return call(request, { email: user.email, password }, '/sign-in/email');
    });
    await record(response, user.id, 'verifyEmail', outcome);
    sendResult(response, result);
  };
  /** Tries a password of the signed-in user; `prepare` makes what better-auth gets, `onRight` runs before the response. */
  const postPassword =
    <Body extends object>(
      endpoint: SignInAction,
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
      const send = () => call(request, body);
      // better-auth refuses a request without a session.
      if (claim?.token === undefined) return sendResult(response, await send());
      const { result, outcome, endedSession } = await checks.run(response, claim, send);
      if (outcome === 'right') await onRight?.(claim.token);
      await record(response, claim.userId, endpoint, outcome);
      if (endedSession) await record(response, claim.userId, 'endSession', 'right');
      sendResult(response, result);
    };
  /** Tries a code: of the signed-in user, or to complete a sign-in. */
  const postCode =
    (kind: 'totp' | 'backup'): Handler =>
    async (request, response) => {
      await admission.takeAddress(response);
      const { code } = parse(codeBody, await readJson(request));
      const body = { code: asGivenOut(kind, code) };
      const claim = await checks.claimOf(request);
      const send = () => call(request, body);
      if (!claim) return sendResult(response, await send());
      const { result, outcome, endedSession } =
        kind === 'totp'
          ? await checks.runCode(response, claim, body.code, send)
          : await checks.run(response, claim, send);
      const ofSession = kind === 'totp' ? 'verifySecondFactor' : 'verifyBackupCode';
      await record(response, claim.userId, claim.token === undefined ? 'signIn' : ofSession, outcome);
      if (endedSession) await record(response, claim.userId, 'endSession', 'right');
      sendResult(response, result);
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
    .post('/sign-out', postRecorded('signOut'))
    .get('/get-session', get)
    .get('/list-sessions', get)
    .post('/revoke-session', postRecorded('revokeSession', revokeSessionBody))
    .post('/revoke-sessions', postRecorded('revokeSessions'))
    .post('/revoke-other-sessions', postRecorded('revokeOtherSessions'))
    .post('/update-user', postRecorded('updateUser', updateUserBody))
    .post(
      '/verify-password',
      postPassword('verifyPassword', passwordBody, { onRight: token => sessions.recordPasswordCheck(token, now()) }),
    )
    .post('/change-password', postPassword('changePassword', changePasswordBody, { prepare: changePassword }))
    .post('/request-password-reset', postLimited(requestResetBody))
    .post('/reset-password', postReset)
    .post('/verify-email', postVerifyEmail)
    .post('/two-factor/enable', postPassword('enableSecondFactor', passwordBody))
    .post('/two-factor/disable', postPassword('disableSecondFactor', passwordBody))
    .post('/two-factor/generate-backup-codes', postPassword('generateBackupCodes', passwordBody))
    .post('/two-factor/verify-totp', postCode('totp'))
    .post('/two-factor/verify-backup-code', postCode('backup'));
}
