import { exampleOf } from '@billing/contracts/example';
import { z } from 'zod';
import { revokeSessionBody, signInBody, signUpBody, updateUserBody, verifyEmailBody } from '#routes/sign-in-bodies.ts';
import type { Endpoint } from './endpoint.ts';
import { done, maybeSignedIn, session, signedIn, signInEndpoint, user, withSession } from './sign-in-endpoint.ts';

const current = z.object({ session, user });
const completed = z.object({ redirect: z.boolean(), ...signedIn.shape });
const secondFactorNeeded = z.object({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.string()) });
const maybeWithSession = [...withSession, {}];

/** `/api/auth`: signing up, in and out, and sessions, served by better-auth. */
export const signInEndpoints: readonly Endpoint[] = [
  signInEndpoint({
    id: 'signUp',
    path: 'sign-up/email',
    summary: 'Sign up with an e-mail address and a password',
    description:
      'Signs in as well: the response sets the session cookie. Where only invited people may register, `invitationToken` is the one of their link. Where the installation sends mail, the address is confirmed first, and the token is null. A password has 10 to 128 characters and is not a common one.',
    body: signUpBody,
    response: maybeSignedIn,
    errors: [
      'password_too_short',
      'password_too_long',
      'password_too_common',
      'user_already_exists_use_another_email',
      'sign_up_closed',
      'rate_limited',
    ],
  }),
  signInEndpoint({
    id: 'verifyEmail',
    path: 'verify-email',
    summary: 'Confirm your address by the token of a link, and sign in',
    description: 'The link is in the mail after sign-up, and works within an hour, with the password that was chosen.',
    body: verifyEmailBody,
    response: completed,
    errors: ['invalid_token', 'invalid_password', 'rate_limited'],
  }),
  signInEndpoint({
    id: 'signIn',
    path: 'sign-in/email',
    summary: 'Sign in',
    description:
      'The response sets the session cookie. It ends after 7 days without use and after 30 days; a user has at most 20 sessions, a further one ends the oldest. For a user with a second factor the response has `twoFactorRedirect` instead, and the sign-in is completed by a code.',
    body: signInBody,
    response: z.union([completed, secondFactorNeeded]).meta({ example: exampleOf(completed) }),
    errors: ['unauthorized', 'email_not_verified', 'rate_limited'],
  }),
  signInEndpoint({
    id: 'signOut',
    path: 'sign-out',
    summary: 'Sign out',
    description: 'Ends the session of the cookie, if there is one.',
    security: maybeWithSession,
    response: z.object({ success: z.boolean() }).meta({ example: { success: true } }),
    errors: [],
  }),
  signInEndpoint({
    id: 'getSession',
    method: 'GET',
    path: 'get-session',
    summary: 'Get the current session',
    description: 'Null without one.',
    security: maybeWithSession,
    response: current.nullable().meta({ example: exampleOf(current) }),
    errors: [],
  }),
  signInEndpoint({
    id: 'updateUser',
    path: 'update-user',
    summary: 'Change your name',
    description: 'Members of your teams see it.',
    security: withSession,
    body: updateUserBody,
    response: done,
    errors: ['unauthorized'],
  }),
  signInEndpoint({
    id: 'listSessions',
    method: 'GET',
    path: 'list-sessions',
    summary: 'List your sessions',
    description: 'The token of a session names it to end it; it is no cookie.',
    security: withSession,
    response: z.array(session),
    errors: ['unauthorized'],
  }),
  signInEndpoint({
    id: 'revokeSession',
    path: 'revoke-session',
    summary: 'End one of your sessions',
    description: 'A token that is not of one of your sessions has no effect.',
    security: withSession,
    body: revokeSessionBody,
    response: done,
    errors: ['unauthorized'],
  }),
  signInEndpoint({
    id: 'revokeOtherSessions',
    path: 'revoke-other-sessions',
    summary: 'End all your sessions but this one',
    description: 'Signs you out everywhere else.',
    security: withSession,
    response: done,
    errors: ['unauthorized'],
  }),
  signInEndpoint({
    id: 'revokeSessions',
    path: 'revoke-sessions',
    summary: 'End all your sessions',
    description: 'Signs you out everywhere, also here.',
    security: withSession,
    response: done,
    errors: ['unauthorized'],
  }),
];
