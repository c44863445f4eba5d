import { exampleIds } from '@billing/contracts/openapi/examples/shared';
import { z } from 'zod';
import { changePasswordBody, codeBody, passwordBody, requestResetBody, resetPasswordBody } from '#routes/sign-in.ts';
import type { Endpoint } from './endpoint.ts';
import {
  examplePassword,
  exampleSessionToken,
  exampleUser,
  signInEndpoint,
  user,
  writeErrors,
} from './sign-in-shapes.ts';

const done = z.object({ status: z.boolean() });
const newPassword = 'a staple holds the horse';
const newPasswordErrors = ['password_too_short', 'password_too_long', 'password_too_common'] as const;
const withSession = { ...signInEndpoint, method: 'POST', security: [{ session: [] }] } as const;
const withSessionErrors = ['unauthorized', 'invalid_password', 'rate_limited', ...writeErrors] as const;
const backupCodes = ['x7Kq2-mP9Lw', 'B4nTz-R8yHc'];
const signedIn = z.object({ token: z.string(), user });

/** `/api/auth`: passwords and the second factor, served by better-auth. */
export const passwordEndpoints: readonly Endpoint[] = [
  {
    ...withSession,
    id: 'verifyPassword',
    path: '/api/auth/verify-password',
    summary: 'Verify your password in this session',
    description: 'For 15 minutes this session may then call what needs a recently checked password.',
    body: passwordBody,
    response: done,
    errors: withSessionErrors,
    example: { body: { password: examplePassword }, response: { status: true } },
  },
  {
    ...withSession,
    id: 'changePassword',
    path: '/api/auth/change-password',
    summary: 'Change your password',
    description: 'Ends all your other sessions. The response sets a new session cookie.',
    body: changePasswordBody,
    response: z.object({ token: z.string().nullable(), user }),
    errors: [...newPasswordErrors, ...withSessionErrors],
    example: {
      body: { currentPassword: examplePassword, newPassword },
      response: { token: exampleSessionToken, user: exampleUser },
    },
  },
  {
    ...signInEndpoint,
    id: 'requestPasswordReset',
    method: 'POST',
    path: '/api/auth/request-password-reset',
    summary: 'Have a link to reset the password sent',
    description:
      'The response is the same whether the address is known or not. Without a mail server it is 400; an operator then prints the link.',
    body: requestResetBody,
    response: done.extend({ message: z.string() }),
    errors: ['reset_password_disabled', 'rate_limited', ...writeErrors],
    example: {
      body: { email: exampleUser.email },
      response: { status: true, message: 'If this email exists in our system, check your email for the reset link' },
    },
  },
  {
    ...signInEndpoint,
    id: 'resetPassword',
    method: 'POST',
    path: '/api/auth/reset-password',
    summary: 'Choose a new password by the token of a link',
    description: 'Ends all sessions of the user. A token works once, within an hour.',
    body: resetPasswordBody,
    response: done,
    errors: ['invalid_token', 'rate_limited', ...newPasswordErrors, ...writeErrors],
    example: { body: { newPassword, token: exampleIds.invitationToken }, response: { status: true } },
  },
  {
    ...withSession,
    id: 'enableSecondFactor',
    path: '/api/auth/two-factor/enable',
    summary: 'Begin to set up a second factor',
    description:
      'The URI goes into an authenticator app; a code of the app then completes the set-up. Backup codes work once each, in place of a code.',
    body: passwordBody,
    response: z.object({ method: z.literal('totp'), totpURI: z.string(), backupCodes: z.array(z.string()) }),
    errors: ['totp_already_enabled', ...withSessionErrors],
    example: {
      body: { password: examplePassword },
      response: {
        method: 'totp',
        totpURI: `otpauth://totp/billing:${exampleUser.email}?secret=EXAMPLE&issuer=billing&digits=6&period=30`,
        backupCodes,
      },
    },
  },
  {
    ...withSession,
    id: 'verifySecondFactor',
    path: '/api/auth/two-factor/verify-totp',
    summary: 'Complete the set-up of a second factor, or a sign-in with one',
    description:
      'For a sign-in, the cookie that it set is sent in place of a session. After 5 wrong codes the sign-in begins anew, after 10 in a row it is locked for 15 minutes.',
    body: codeBody,
    response: signedIn,
    errors: ['unauthorized', 'totp_not_enabled', 'too_many_attempts_request_new_code', 'rate_limited', ...writeErrors],
    example: { body: { code: '492039' }, response: { token: exampleSessionToken, user: exampleUser } },
  },
  {
    ...withSession,
    id: 'verifyBackupCode',
    path: '/api/auth/two-factor/verify-backup-code',
    summary: 'Complete a sign-in by a backup code',
    description: 'Each code works once.',
    body: codeBody,
    response: signedIn,
    errors: [
      'unauthorized',
      'backup_codes_not_enabled',
      'too_many_attempts_request_new_code',
      'rate_limited',
      ...writeErrors,
    ],
    example: { body: { code: backupCodes[0] }, response: { token: exampleSessionToken, user: exampleUser } },
  },
  {
    ...withSession,
    id: 'generateBackupCodes',
    path: '/api/auth/two-factor/generate-backup-codes',
    summary: 'Replace your backup codes',
    description: 'The former codes stop working.',
    body: passwordBody,
    response: done.extend({ backupCodes: z.array(z.string()) }),
    errors: ['two_factor_not_enabled', ...withSessionErrors],
    example: { body: { password: examplePassword }, response: { status: true, backupCodes } },
  },
  {
    ...withSession,
    id: 'disableSecondFactor',
    path: '/api/auth/two-factor/disable',
    summary: 'Remove your second factor',
    description: 'The response sets a new session cookie.',
    body: passwordBody,
    response: done,
    errors: withSessionErrors,
    example: { body: { password: examplePassword }, response: { status: true } },
  },
];
