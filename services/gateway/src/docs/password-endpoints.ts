import { z } from 'zod';
import {
  changePasswordBody,
  codeBody,
  passwordBody,
  requestResetBody,
  resetPasswordBody,
} from '#routes/sign-in-bodies.ts';
import type { Endpoint } from './endpoint.ts';
import { done, maybeSignedIn, signedIn, signInEndpoint, withSession } from './sign-in-endpoint.ts';

const newPasswordErrors = ['password_too_short', 'password_too_long', 'password_too_common'] as const;
const checkErrors = ['unauthorized', 'invalid_password', 'rate_limited'] as const;
const codeErrors = ['unauthorized', 'too_many_attempts_request_new_code', 'rate_limited'] as const;
const exampleBackupCodes = ['x7kq2-mp9aw', 'b4ntz-r8yhc'];
const backupCodes = z.array(z.string()).meta({ example: exampleBackupCodes });

/** `/api/auth`: passwords and the second factor, served by better-auth. */
export const passwordEndpoints: readonly Endpoint[] = [
  signInEndpoint({
    id: 'verifyPassword',
    path: 'verify-password',
    summary: 'Verify your password in this session',
    description: 'For 15 minutes this session may then call what needs a recently checked password.',
    security: withSession,
    body: passwordBody,
    response: done,
    errors: checkErrors,
  }),
  signInEndpoint({
    id: 'changePassword',
    path: 'change-password',
    summary: 'Change your password',
    description: 'Ends all your other sessions. The response sets a new session cookie.',
    security: withSession,
    body: changePasswordBody,
    response: maybeSignedIn,
    errors: [...newPasswordErrors, ...checkErrors],
  }),
  signInEndpoint({
    id: 'requestPasswordReset',
    path: 'request-password-reset',
    summary: 'Have a link to reset the password sent',
    description:
      'The response is the same whether the address is known or not. Without a mail server it is 400; an operator then prints the link.',
    body: requestResetBody,
    response: done.extend({
      message: z.string().meta({ example: 'If this email exists in our system, check your email for the reset link' }),
    }),
    errors: ['reset_password_disabled', 'rate_limited'],
  }),
  signInEndpoint({
    id: 'resetPassword',
    path: 'reset-password',
    summary: 'Choose a new password by the token of a link',
    description: 'Ends all sessions of the user. A token works once, within an hour.',
    body: resetPasswordBody,
    response: done,
    errors: ['invalid_token', 'rate_limited', ...newPasswordErrors],
  }),
  signInEndpoint({
    id: 'enableSecondFactor',
    path: 'two-factor/enable',
    summary: 'Begin to set up a second factor',
    description:
      'The URI goes into an authenticator app; a code of the app then completes the set-up. Backup codes work once each, in place of a code.',
    security: withSession,
    body: passwordBody,
    response: z.object({
      method: z.literal('totp'),
      totpURI: z.string().meta({
        example: 'otpauth://totp/billing:grace@acme.example?secret=EXAMPLE&issuer=billing&digits=6&period=30',
      }),
      backupCodes,
    }),
    errors: ['totp_already_enabled', ...checkErrors],
  }),
  signInEndpoint({
    id: 'verifySecondFactor',
    path: 'two-factor/verify-totp',
    summary: 'Complete the set-up of a second factor, or a sign-in with one',
    description:
      'For a sign-in, the cookie that it set is sent in place of a session. After 5 wrong codes the sign-in begins anew, after 10 in a row it is locked for 15 minutes.',
    security: withSession,
    body: codeBody,
    response: signedIn,
    errors: ['totp_not_enabled', ...codeErrors],
  }),
  signInEndpoint({
    id: 'verifyBackupCode',
    path: 'two-factor/verify-backup-code',
    summary: 'Complete a sign-in by a backup code',
    description: 'Each code works once.',
    security: withSession,
    body: codeBody,
    response: signedIn,
    errors: ['backup_codes_not_enabled', ...codeErrors],
    example: { body: { code: exampleBackupCodes[0] } },
  }),
  signInEndpoint({
    id: 'generateBackupCodes',
    path: 'two-factor/generate-backup-codes',
    summary: 'Replace your backup codes',
    description: 'The former codes stop working.',
    security: withSession,
    body: passwordBody,
    response: done.extend({ backupCodes }),
    errors: ['two_factor_not_enabled', ...checkErrors],
  }),
  signInEndpoint({
    id: 'disableSecondFactor',
    path: 'two-factor/disable',
    summary: 'Remove your second factor',
    description: 'The response sets a new session cookie.',
    security: withSession,
    body: passwordBody,
    response: done,
    errors: checkErrors,
  }),
];
