import type { Account } from '../store/account.ts';
import type { Accounts } from '../store/accounts.ts';
import { Failure } from './failure.ts';

const KEY = /^(sk|rk)_(test|live)_[A-Za-z0-9]{8,}$/;

/**
 * The account that a request's secret key opens (bearer, or the user name of basic authentication). A missing key, one
 * that is not of Stripe's shape and one that begins with `sk_test_invalid` are refused with 401.
 */
export function authenticate(accounts: Accounts, headers: NodeJS.Dict<string | string[]>): Account {
  const key = secretKey(headers['authorization']);
  if (key === undefined)
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  if (!KEY.test(key) || key.startsWith('sk_test_invalid'))
    throw unauthorized(`Invalid API Key provided: ${masked(key)}`);
  const connected = headers['stripe-account'];
  if (connected !== undefined)
    throw new Failure(
      403,
      {
        type: 'invalid_request_error',
        code: 'account_invalid',
        message: `The provided key '${masked(key)}' does not have access to account '${String(connected)}' (or that account does not exist). The local processor has no connected accounts.`,
      },
      false,
    );
  return accounts.open(key);
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

function unauthorized(message: string): Failure {
  return new Failure(401, { type: 'invalid_request_error', message }, false);
}
