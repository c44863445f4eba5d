import { BillingError } from '@billing/client';
import { watchedFetch } from './watched-fetch.ts';

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly twoFactorEnabled?: boolean | null;
}

export interface Session {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly userAgent?: string | null;
}

export interface CurrentSession {
  readonly user: User;
  readonly session: Session;
}

interface SignedIn {
  /** Set when the account has a second factor, whose code is still needed. */
  readonly twoFactorRedirect?: boolean;
}

/** What sets up a second factor; a code of the app completes that. */
export interface SecondFactor {
  /** An `otpauth:` address, which authenticator apps read. */
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

interface SignedUp {
  /** Null where the address has to be confirmed first. */
  readonly token: string | null;
}

async function call<Body>(method: 'GET' | 'POST', path: string, body: object = {}): Promise<Body> {
  const init = method === 'GET' ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await watchedFetch(`/api/auth${path}`, { method, ...init }).catch((cause: unknown) => {
    throw new BillingError(
      { status: 0, code: 'connection_failed', message: 'The service could not be reached.' },
      { cause },
    );
  });
  const text = await response.text();
  if (!response.ok) throw BillingError.fromResponse(response, text);
  return JSON.parse(text || 'null') as Body; // better-auth documents the bodies of its paths
}

/** Sign-in, sessions and passwords, by the gateway's `/api/auth`. */
export const auth = {
  /** Returns null to someone who is not signed in. */
  session: () => call<CurrentSession | null>('GET', '/get-session'),
  signIn: (credentials: { email: string; password: string }) => call<SignedIn>('POST', '/sign-in/email', credentials),
  signUp: (account: { name: string; email: string; password: string }) =>
    call<SignedUp>('POST', '/sign-up/email', account),
  /** Signs in by a link that works once, on the machine of the gateway only. */
  signInByLink: (token: string) => call<unknown>('POST', '/one-time-token/verify', { token }),
  /** Takes a code of an authenticator app, and a backup code in its place. */
  verifyCode: (code: string) =>
    call<unknown>('POST', /^\d{6}$/.test(code) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code', {
      code,
    }),
  signOut: () => call<unknown>('POST', '/sign-out'),
  /** Makes the session fresh: for 15 minutes it may do what needs a recent password. */
  verifyPassword: (password: string) => call<unknown>('POST', '/verify-password', { password }),
  changePassword: (passwords: { currentPassword: string; newPassword: string }) =>
    call<unknown>('POST', '/change-password', passwords),
  rename: (name: string) => call<unknown>('POST', '/update-user', { name }),
  /** Begins to set up a second factor. */
  enableSecondFactor: (password: string) => call<SecondFactor>('POST', '/two-factor/enable', { password }),
  disableSecondFactor: (password: string) => call<unknown>('POST', '/two-factor/disable', { password }),
  /** Makes new backup codes; the ones before stop working. */
  renewBackupCodes: (password: string) =>
    call<Pick<SecondFactor, 'backupCodes'>>('POST', '/two-factor/generate-backup-codes', { password }),
  requestReset: (email: string) => call<unknown>('POST', '/request-password-reset', { email }),
  sessions: () => call<readonly Session[]>('GET', '/list-sessions'),
  endSession: (token: string) => call<unknown>('POST', '/revoke-session', { token }),
  endOtherSessions: () => call<unknown>('POST', '/revoke-other-sessions'),
};
