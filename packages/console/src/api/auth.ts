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

/** What an invitation says to who has its link. */
interface DescribedInvitation {
  readonly teamName: string;
  /** Null when an operator invites, or the inviter is gone. */
  readonly inviter: { readonly name: string; readonly email: string } | null;
  readonly email: string;
  readonly role: 'owner' | 'member';
}

const call = <Body>(method: 'GET' | 'POST', path: string, body?: object): Promise<Body> =>
  send(method, `/api/auth${path}`, body);

async function send<Body>(method: 'GET' | 'POST', path: string, body: object = {}): Promise<Body> {
  const init = method === 'GET' ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await watchedFetch(path, { method, ...init }).catch((cause: unknown) => {
    throw new BillingError(
      { status: 0, code: 'connection_failed', message: 'The service could not be reached.' },
      { cause },
    );
  });
  const text = await response.text();
  if (!response.ok) throw BillingError.fromResponse(response, text);
  return JSON.parse(text || 'null') as Body; // the gateway documents the bodies of these paths
}

/** Sign-in, sessions and passwords, by the gateway's `/api/auth`. */
export const auth = {
  /** Returns null to someone who is not signed in. */
  session: () => call<CurrentSession | null>('GET', '/get-session'),
  signIn: (credentials: { email: string; password: string }) => call<SignedIn>('POST', '/sign-in/email', credentials),
  signUp: (account: { name: string; email: string; password: string; invitationToken?: string | undefined }) =>
    call<SignedUp>('POST', '/sign-up/email', account),
  /** Signs in by a link that works once, on the machine of the gateway only. */
  signInByLink: (token: string) => call<unknown>('POST', '/one-time-token/verify', { token }),
  /** Takes a code of an authenticator app, and a backup code in its place, however they are divided. */
  verifyCode: (code: string) =>
    call<unknown>(
      'POST',
      /^\d{6}$/.test(code.replaceAll(/[^\p{L}\d]/gu, ''))
        ? '/two-factor/verify-totp'
        : '/two-factor/verify-backup-code',
      {
        code,
      },
    ),
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
  /** Says whom the invitation is from that has the token. */
  describeInvitation: async (token: string): Promise<DescribedInvitation> =>
    (await send<{ invitation: DescribedInvitation }>('POST', '/accept-invitation', { token })).invitation,
  /** Confirms the address of a new account by the token of its mail, and signs in. */
  verifyEmail: (body: { password: string; token: string }) => call<unknown>('POST', '/verify-email', body),
  /** Sets a new password by the token of a mail, and ends all sessions. */
  resetPassword: (body: { newPassword: string; token: string }) => call<unknown>('POST', '/reset-password', body),
  requestReset: (email: string) => call<unknown>('POST', '/request-password-reset', { email }),
  sessions: () => call<readonly Session[]>('GET', '/list-sessions'),
  endSession: (token: string) => call<unknown>('POST', '/revoke-session', { token }),
  endOtherSessions: () => call<unknown>('POST', '/revoke-other-sessions'),
};
