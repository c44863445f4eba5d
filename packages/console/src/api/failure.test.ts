import { BillingError } from '@billing/client';
import { expect, it } from 'vitest';
import { describeFailure, isRefused, missingRecord, problemsOf } from './failure.ts';

const refused = (...fields: { path: string; message: string }[]) =>
  new BillingError({ status: 400, code: 'validation_error', message: 'Refused.', details: { fields } });
const name = { path: 'name', message: 'Too long.' };

it('shows the problem of a field beside it and not again', () => {
  expect(problemsOf(refused(name), ['email', 'name'])).toEqual({ of: { name: 'Too long.' }, rest: undefined });
});

it('shows all problems of one field', () => {
  const error = refused(name, { path: 'name', message: 'No line breaks.' });
  expect(problemsOf(error, ['name']).of.name).toBe('Too long. No line breaks.');
});

it('shows what is wrong within a field beside that field', () => {
  const error = refused({ path: 'metadata.tier', message: 'Too long.' });
  expect(problemsOf(error, ['meta', 'metadata'])).toEqual({ of: { metadata: 'Too long.' }, rest: undefined });
});

it('leaves to the form what stands beside none of its fields', () => {
  const error = refused(name, { path: 'metadata', message: 'Too many keys.' });
  expect(problemsOf(error, ['name'])).toEqual({ of: { name: 'Too long.' }, rest: error });
});

it.each([
  new BillingError({ status: 409, code: 'customer_email_taken', message: 'Taken.' }),
  new Error('No number.'),
  null,
])('leaves %s to the form', error => {
  expect(problemsOf(error, ['email'])).toEqual({ of: {}, rest: error });
});

it('shows a refusal beside its field, or beside the one of a list that it is about', () => {
  const error = new BillingError({ status: 422, code: 'tax_id_invalid', message: 'Wrong.', details: { index: 1 } });
  const of = (...fields: string[]) => problemsOf(error, fields, { tax_id_: 'taxIds' }).of;
  expect(of('taxIds.0', 'taxIds.1', 'taxIds')).toEqual({ 'taxIds.1': 'Wrong.' });
  expect(of('taxIds')).toEqual({ taxIds: 'Wrong.' });
});

it('tells a person at another address of the gateway from one whose role is not enough', () => {
  const titleOf = (details?: object) =>
    describeFailure(new BillingError({ status: 403, code: 'forbidden', message: 'Refused.', details: { ...details } }));
  expect(titleOf({ origin: 'http://localhost:8080' }).title).toBe('This page was opened at another address');
  expect(titleOf().title).toBe('Your role does not allow this');
});

it.each([
  [new BillingError({ status: 404, code: 'webhook_event_not_found', message: '' }), 'webhook event'],
  [new BillingError({ status: 404, code: 'api_key_not_found', message: '' }), 'API key'],
  [new BillingError({ status: 404, code: 'route_not_found', message: '' }), undefined],
  [refused({ path: 'customerId', message: 'Expected an id that starts with pc_.' }), 'customer'],
  [refused({ path: 'code', message: 'Too long.' }), 'referral code'],
  [refused(name), undefined],
  [new BillingError({ status: 503, code: 'unavailable', message: '' }), undefined],
  [new Error('No number.'), undefined],
])('names what a page requested in vain (%#)', (error, noun) => {
  expect(missingRecord(error)).toBe(noun);
});

it('takes a request for refused when the service has said so for good, and not when it may have been done', () => {
  const failure = (status: number, code = '') => new BillingError({ status, code, message: '' });
  expect([400, 409, 422, 429].map(status => isRefused(failure(status)))).toEqual([true, true, true, true]);
  const open = [
    failure(0, 'timed_out'),
    failure(500),
    failure(503),
    failure(409, 'idempotency_key_in_use'),
    new Error(''),
  ];
  expect(open.filter(isRefused)).toEqual([]);
});
