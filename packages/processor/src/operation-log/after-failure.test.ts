import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { notFound, unavailable } from '@billing/contracts/problem';
import { ProcessorError } from '../errors.ts';
import { afterFailure } from './after-failure.ts';

function processorError(statusCode: number, { code = '', replayed = false, type = 'api_error' } = {}): ProcessorError {
  const headers = replayed ? { 'idempotent-replayed': 'true' } : {};
  const raw = { statusCode, code, type: type as 'api_error', message: 'no', headers };
  const ErrorClass = statusCode === 401 ? Stripe.errors.StripeAuthenticationError : Stripe.errors.StripeAPIError;
  return new ProcessorError('no', new ErrorClass(raw));
}

const searching = { step: 'send', attempt: 1, canSearch: true } as const;
const plain = { step: 'send', attempt: 1, canSearch: false } as const;

it.each([
  ['cancels after a refusal', processorError(400), plain, 'cancel'],
  ['cancels after a failure of the processor', processorError(500), plain, 'cancel'],
  ['cancels after a refused secret key', processorError(401), plain, 'cancel'],
  ['retries when the key is refused later', processorError(401), { ...plain, attempt: 2 }, 'retry'],
  ['retries while the key is in use', processorError(409, { code: 'idempotency_key_in_use' }), plain, 'retry'],
  ['retries when no response came', unavailable('no'), plain, 'retry'],
  ['cancels a searchable operation after a refusal', processorError(404), searching, 'cancel'],
  ['cancels when the input is gone', notFound('customer'), searching, 'cancel'],
  ['retries a searchable operation after a failure', processorError(500), searching, 'retry'],
  ['retries when a permission is missing', processorError(403), searching, 'retry'],
  ['closes the key after a replayed failure', processorError(500, { replayed: true }), searching, 'close-key'],
  ['closes a key that was used otherwise', processorError(400, { type: 'idempotency_error' }), searching, 'close-key'],
  ['retries a search that failed', processorError(500), { ...searching, step: 'search' }, 'retry'],
  [
    'cancels when the object searched in is gone',
    processorError(404, { code: 'resource_missing' }),
    { ...searching, step: 'search' },
    'cancel',
  ],
  ['retries a commit that failed', new Error('no'), { ...plain, step: 'commit' }, 'retry'],
  ['cancels when the record is gone', notFound('customer'), { ...plain, step: 'commit' }, 'cancel'],
] as const)('%s', (_title, error, attempt, expected) => {
  expect(afterFailure(error, attempt)).toBe(expected);
});
