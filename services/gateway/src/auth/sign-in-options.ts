import type { BetterAuthOptions } from 'better-auth';
import { oneTimeToken } from 'better-auth/plugins/one-time-token';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isLocalUrl } from '#domain/addresses.ts';
import { cookiePrefixOf } from '#domain/browser-headers.ts';
import { PASSWORD_LENGTH } from '#domain/password.ts';
import { newBackupCodes } from '#domain/second-factor-codes.ts';
import { COOKIE_SECONDS, firstExpiry, MAX_SESSIONS } from '#domain/session-life.ts';
import type { PasswordHashing } from './password-hashing.ts';

/** A user as far as mails need. */
interface Addressee {
  readonly id: string;
  readonly email: string;
}

/** Sends the links of mails; each resolves once the link is made. */
export interface SendLink {
  /** With the token of better-auth. */
  resetPassword(user: Addressee, token: string): Promise<void>;
  confirmAddress(user: Addressee): Promise<void>;
  accountExists(user: Addressee): Promise<void>;
}

interface OptionsInput {
  readonly pool: Pool;
  readonly publicUrl: string;
  readonly secret: string;
  /** Sends links; without it, addresses are not confirmed, and only an operator can make a link to reset a password. */
  readonly sendLink: SendLink | undefined;
  readonly passwords: PasswordHashing;
  readonly logger: Logger;
}

/** Paths of better-auth that check the password and then open a session. */
const CHECKS_PASSWORD = ['/sign-up/email', '/sign-in/email', '/change-password', '/two-factor/disable'];

/** How long an account takes no code after ten wrong ones in a row: better-auth's own limit, the only one of its that is on. */
export const LOCKOUT_SECONDS = 900;

/** Links that sign in once, within a day; `routes/sign-in.ts` serves them to the gateway's own machine only. */
const localLinks = () => oneTimeToken({ expiresIn: 24 * 60, storeToken: 'hashed' });

/** How sign-in is set up: https://better-auth.com/docs/reference/options */
export function signInOptions({ pool, publicUrl, secret, sendLink, passwords, logger }: OptionsInput) {
  return {
    appName: 'billing',
    baseURL: publicUrl,
    basePath: '/api/auth',
    secret,
    database: pool,
    trustedOrigins: [new URL(publicUrl).origin],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      password: passwords,
      revokeSessionsOnPasswordReset: true,
      // Who has the link has the mailbox.
      onPasswordReset: async ({ user }) => {
        await pool.query('update "user" set "emailVerified" = true where id = $1', [user.id]);
      },
      ...(sendLink && {
        requireEmailVerification: true,
        sendResetPassword: ({ user, token }: { user: Addressee; token: string }) => sendLink.resetPassword(user, token),
        onExistingUserSignUp: ({ user }: { user: Addressee }) => sendLink.accountExists(user),
      }),
    },
    ...(sendLink && {
      emailVerification: {
        sendOnSignUp: true,
        sendOnSignIn: true,
        sendVerificationEmail: ({ user }: { user: Addressee }) => sendLink.confirmAddress(user),
      },
    }),
    session: {
      expiresIn: COOKIE_SECONDS,
      // A session's use is written when it is found.
      disableSessionRefresh: true,
      // Operations declare what needs a recently checked password.
      freshAge: 0,
      additionalFields: {
        passwordCheckedAt: { type: 'date', required: false, input: false },
        failedChecks: { type: 'number', required: false, input: false, returned: false },
      },
    },
    // Tokens of resets and second factors are stored hashed.
    verification: { storeIdentifier: 'hashed' },
    plugins: [
      twoFactor({
        accountLockout: { durationSeconds: LOCKOUT_SECONDS },
        backupCodeOptions: { customBackupCodesGenerate: newBackupCodes },
      }),
      ...(isLocalUrl(publicUrl) ? [localLinks()] : []),
    ],
    databaseHooks: {
      session: {
        create: {
          before: async (session, context) => {
            const path = context?.path ?? '';
            const isSecondStep = path.startsWith('/two-factor/verify-') && !context?.context.session;
            const isChecked = CHECKS_PASSWORD.includes(path) || isSecondStep;
            const { createdAt } = session;
            return { data: { expiresAt: firstExpiry(session), ...(isChecked && { passwordCheckedAt: createdAt }) } };
          },
          // The session is there already, of a sign-up the account too: what is left to do may fail, and the next one does it.
          after: async ({ userId }) => {
            await pool
              .query(
                `delete from session where "userId" = $1 and ("expiresAt" < now() or id not in
                   (select id from session where "userId" = $1 order by "createdAt" desc, id limit $2))`,
                [userId, MAX_SESSIONS],
              )
              .catch((err: unknown) => logger.warn({ err, userId }, 'old sessions are not deleted'));
          },
        },
      },
    },
    // The gateway has its own rate limits.
    rateLimit: { enabled: false },
    // Without this, better-auth prints unexpected errors and returns 500 for all of them.
    onAPIError: { throw: true },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message) => logger[level === 'error' ? 'warn' : level](`sign-in: ${message}`),
    },
    advanced: {
      cookiePrefix: cookiePrefixOf(publicUrl),
      // better-auth would use the prefix __Secure-, which is weaker than __Host-.
      useSecureCookies: false,
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: 'lax',
        secure: publicUrl.startsWith('https:'),
        path: '/',
      },
      ipAddress: { disableIpTracking: true },
      // The tables are migrated when sign-in opens.
      database: { validateSchema: false },
    },
  } satisfies BetterAuthOptions;
}
