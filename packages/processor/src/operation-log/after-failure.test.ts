import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { changedMeanwhile, conflict, notFound, unavailable } from '@billing/contracts/problem';
import { ProcessorError } from '../errors.ts';
import { afterFailure } from './after-failure.ts';

const notConnected = () => conflict('processor_not_connected', 'no');

/** What a gateway in between returns: the library finds no JSON and knows no status. */
const htmlError = () => new ProcessorError('no', new Stripe.errors.StripeAPIError({ message: 'Invalid JSON' }));

function processorError(statusCode: number, { code = '', stored = false, type = 'api_error' } = {}): ProcessorError {
  const headers = stored ? { 'idempotent-replayed': 'true' } : {};
  const raw = { statusCode, code, type: type as 'api_error', message: 'no', headers };
  const ErrorClass = statusCode === 401 ? Stripe.errors.StripeAuthenticationError : Stripe.errors.StripeAPIError;
  return new ProcessorError('no', new ErrorClass(raw));
}

const waitedFor = { step: 'send', attempt: 1, mustSucceed: false } as const;
const mustSucceed = { step: 'send', attempt: 1, mustSucceed: true } as const;

const prepared = { step: 'prepare', attempt: 1 } as const;

it.each([
  ['cancels what could not be prepared', unavailable('no'), { ...prepared, mustSucceed: false }, 'cancel'],
  ['prepares again what must succeed', unavailable('no'), { ...prepared, mustSucceed: true }, 'retry'],
  ['cancels what was planned for another state', changedMeanwhile(), waitedFor, 'cancel'],
  ['cancels after a refusal', processorError(400), waitedFor, 'cancel'],
  ['cancels when a permission is missing', processorError(403), waitedFor, 'cancel'],
  ['cancels after a failure whose search found nothing', processorError(500), waitedFor, 'cancel'],
  ['cancels after a refused secret key', processorError(401), waitedFor, 'cancel'],
  ['retries when the key is refused later', processorError(401), { ...waitedFor, attempt: 2 }, 'retry'],
  ['cancels when the account was disconnected first', notConnected(), waitedFor, 'cancel'],
  ['retries when the account is disconnected later', notConnected(), { ...waitedFor, attempt: 2 }, 'retry'],
  ['keeps what must succeed while no account is connected', notConnected(), mustSucceed, 'retry'],
  ['retries while the key is in use', processorError(409, { code: 'idempotency_key_in_use' }), waitedFor, 'retry'],
  ['cancels after the page of a gateway whose search found nothing', htmlError(), waitedFor, 'cancel'],
  ['retries when no response came', unavailable('no'), waitedFor, 'retry'],
  ['cancels when the key was used otherwise', processorError(400, { type: 'idempotency_error' }), waitedFor, 'cancel'],
  [
    'closes a key that was used otherwise',
    processorError(400, { type: 'idempotency_error' }),
    mustSucceed,
    'close-key',
  ],
  ['cancels what must succeed after a refusal', processorError(404), mustSucceed, 'cancel'],
  ['cancels when the input is gone', notFound('customer'), mustSucceed, 'cancel'],
  ['retries what must succeed after a failure', processorError(500), mustSucceed, 'retry'],
  ['retries what must succeed when a permission is missing', processorError(403), mustSucceed, 'retry'],
  ['closes the key after a stored failure', processorError(500, { stored: true }), mustSucceed, 'close-key'],
  [
    'only searches from now on after a search that failed',
    processorError(500),
    { ...waitedFor, step: 'search' },
    'close-key',
  ],
  [
    'retries what must succeed after a search that failed',
    processorError(500),
    { ...mustSucceed, step: 'search' },
    'retry',
  ],
  ['cancels when a closed key has done nothing', unavailable('no'), { ...waitedFor, step: 'give-up' }, 'cancel'],
  [
    'cancels when the object searched in is gone',
    processorError(404, { code: 'resource_missing' }),
    { ...waitedFor, step: 'search' },
    'cancel',
  ],
  ['retries a commit that failed', new Error('no'), { ...waitedFor, step: 'commit' }, 'retry'],
  ['cancels when the record is gone', notFound('customer'), { ...waitedFor, step: 'commit' }, 'cancel'],
] as const)('%s', (_title, error, attempt, expected) => {
  expect(afterFailure(error, attempt)).toBe(expected);
});
