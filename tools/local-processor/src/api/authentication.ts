import type { Account } from '../store/account.ts';
import type { Accounts } from '../store/accounts.ts';
import { ApiError } from './errors.ts';

const KEY = /^(sk|rk)_(test|live)_[A-Za-z0-9]{8,}$/;

/** The secret key of a request, and the permissions that it lacks if it is restricted. */
export interface Credentials {
  account: Account;
  key: { masked: string; missing: readonly string[] };
}

/**
 * Returns the account of a request's secret key (bearer token, or user name of basic authentication).
 * @throws ApiError 401 for a missing or malformed key and for a key that begins with `sk_test_invalid`; 403 for a
 * connected account
 */
export function authenticate(accounts: Accounts, headers: NodeJS.Dict<string | string[]>): Credentials {
  const key = secretKey(headers['authorization']);
  if (key === undefined)
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  if (!KEY.test(key) || key.startsWith('sk_test_invalid'))
    throw unauthorized(`Invalid API Key provided: ${masked(key)}`);
  const connected = headers['stripe-account'];
  if (connected !== undefined)
    throw new ApiError(
      403,
      {
        type: 'invalid_request_error',
        code: 'account_invalid',
        message: `The provided key '${masked(key)}' does not have access to account '${String(connected)}' (or that account does not exist). The local processor has no connected accounts.`,
      },
      false,
    );
  const { account, missing } = accounts.open(key);
  return { account, key: { masked: masked(key), missing } };
}

function secretKey(authorization: string | string[] | undefined): string | undefined {
  if (typeof authorization !== 'string') return undefined;
  const [scheme, credentials] = authorization.split(' ');
  if (!credentials) return undefined;
  if (scheme?.toLowerCase() === 'bearer') return credentials;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  return Buffer.from(credentials, 'base64').toString().split(':')[0] || undefined;
}

function masked(key: string): string {
  return key.length <= 12 ? '*'.repeat(key.length) : `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
}

function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message }, false);
}
