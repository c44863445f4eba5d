import { unavailable } from '@billing/contracts/problem';
import { DatabaseError } from 'pg';
import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { loggedError } from './logged-error.ts';

const ROW = 'Failing row contains (pc_1, grace@example.com).';

/** An error as MikroORM passes it on: with the detail as a field and in the message. */
function databaseError(message: string, code = '23514'): Error {
  const err = new DatabaseError(`${message}\n - detail: ${ROW}`, 400, 'error');
  err.stack = `DatabaseError: ${err.message}\n    at parse (parser.ts:1:1)`;
  return Object.assign(err, { code, severity: 'ERROR', detail: ROW, where: ROW, table: 'customers', constraint: 'c' });
}

it('shows an error of the database by its code and names, without the row', () => {
  expect(loggedError(databaseError('violates check constraint "c"'))).toMatchObject({
    type: 'DatabaseError',
    message: 'violates check constraint "c"',
    stack: expect.stringMatching(/^error: violates check constraint "c"\n {4}at parse/),
    code: '23514',
    table: 'customers',
    constraint: 'c',
  });
});

it('leaves the row out wherever the error of the database stands in a chain of causes', () => {
  const inner = databaseError('violates check constraint "c"');
  for (const err of [
    inner,
    unavailable('No database.', 2, { cause: inner }),
    new Error('outer', { cause: unavailable('No database.', 2, { cause: inner }) }),
    new AggregateError([inner, new Error('other', { cause: inner })], 'all'),
  ]) {
    const text = JSON.stringify(loggedError(err));
    expect(text).toContain('violates check constraint');
    expect(text).not.toContain('grace');
  }
});

it('leaves out a value that has the wrong form', () => {
  const err = databaseError('invalid input syntax for type uuid: "grace@example.com"', '22P02');
  expect(loggedError(err)).toMatchObject({ message: 'invalid input syntax for type uuid: "…"' });
});

it('shows an error of Stripe without its response, keys and addresses', () => {
  const message = "Invalid email address: 'grace@example.com' (sk_test_4eC39H)";
  const err = Object.assign(new Error(message), {
    name: 'StripeInvalidRequestError',
    rawType: 'invalid_request_error',
    code: 'email_invalid',
    requestId: 'req_1',
    statusCode: 400,
    raw: { message, headers: { secret: 'x' } },
  });
  const shown = loggedError(new Error('outer', { cause: err }));
  expect(shown).toMatchObject({ message: "outer: Invalid email address: '…' (sk_…)" });
  expect(loggedError(err)).toMatchObject({ code: 'email_invalid', requestId: 'req_1', statusCode: 400 });
  for (const logged of [shown, loggedError(err)]) expect(JSON.stringify(logged)).not.toMatch(/grace|4eC39H|secret/);
});

it('shows why there was no connection to Stripe', () => {
  const detail = new Error('Failed to establish tunnel to api.stripe.com:443 via http://proxy:3128: HTTP/1.1 407');
  const message = 'An error occurred with our connection to Stripe.';
  const err = new Stripe.errors.StripeConnectionError({ message, detail });
  expect(loggedError(unavailable('No response.', 5, { cause: err }))).toMatchObject({
    message: `No response.: ${message} ${detail.message}`,
  });
});

it('shows any other error with its fields and causes', () => {
  const err = Object.assign(new TypeError('x', { cause: new Error('why') }), { code: 'ERR_X' });
  expect(loggedError(err)).toMatchObject({ type: 'TypeError', message: 'x: why', code: 'ERR_X' });
  expect(loggedError('text')).toBe('text');
});

it('shows why a request was aborted', () => {
  const aborted = Object.assign(new Error('The operation was aborted'), {
    cause: AbortSignal.abort().reason as unknown,
  });
  for (const err of [aborted, unavailable('No response.', 2, { cause: aborted })])
    expect(loggedError(err)).toMatchObject({ message: expect.stringContaining('aborted: This operation was aborted') });
});
