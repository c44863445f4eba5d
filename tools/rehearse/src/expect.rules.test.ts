import { expect, it } from 'vitest';
import { differencesOf, type Actual } from './expect.rules.ts';
import { rehearsal, type Step } from './rehearsal.ts';

const ACTUAL: Actual = {
  subscription: { status: 'active', quantity: 2, trialEnd: null, currentPeriodEnd: '2030-02-28T12:00:00.000Z' },
  entitlements: { seats: 5, sso: true },
  payment: { status: 'ok' },
  invoices: { paid: 3, open: 0 },
  latestInvoice: { total: 2_999 },
  events: ['invoice.created', 'invoice.paid', 'invoice.paid'],
};

/** Reads an expectation of Ada as from a file. */
function expectation(fields: object): Extract<Step, { readonly do: 'expect' }> {
  const steps = [{ expect: { customer: 'ada', ...fields } }];
  const [step] = rehearsal.parse({ name: 'One', now: '2030-01-31', customers: { ada: {} }, steps }).steps;
  if (step?.do !== 'expect') throw new Error('The rehearsal has one step.');
  return step;
}

it('compares only what is named', () => {
  expect(differencesOf(expectation({}), ACTUAL)).toEqual([]);
  const named = { subscription: { status: 'active', trialEnd: null }, entitlements: { seats: 5, reports: null } };
  expect(differencesOf(expectation({ ...named, invoices: { paid: 3 }, events: ['invoice.paid'] }), ACTUAL)).toEqual([]);
});

it.each([
  [{ subscription: { status: 'past_due' } }, 'subscription.status', 'past_due', 'active'],
  [{ entitlements: { seats: null } }, 'entitlements.seats', 'none', '5'],
  [{ entitlements: { reports: true } }, 'entitlements.reports', 'true', 'none'],
  [{ entitlements: { constructor: 1 } }, 'entitlements.constructor', '1', 'none'],
  [{ invoices: { open: 1 } }, 'invoices.open', '1', '0'],
  [
    { events: ['invoice.paid', 'payment.failed'] },
    'events',
    'invoice.paid payment.failed',
    'invoice.created invoice.paid',
  ],
])('finds that %j is not so', (fields, path, expected, actual) => {
  expect(differencesOf(expectation(fields), ACTUAL)).toEqual([{ path, expected, actual }]);
});

it('takes a day for any time of it, and a time in any zone', () => {
  const isSo = (currentPeriodEnd: string) =>
    differencesOf(expectation({ subscription: { currentPeriodEnd } }), ACTUAL).length === 0;
  expect(['2030-02-28', '2030-02-28T12:00:00Z', '2030-02-28T13:00:00+01:00'].map(isSo)).toEqual([true, true, true]);
  expect(['2030-02-27', '2030-02-28T12:00:01Z'].map(isSo)).toEqual([false, false]);
});

it('finds nothing of a customer who has bought nothing', () => {
  const fields = { subscription: { status: 'active' }, latestInvoice: { total: 1 } };
  const differences = differencesOf(expectation(fields), { ...ACTUAL, subscription: null, latestInvoice: null });
  expect(differences.map(({ actual }) => actual)).toEqual(['none', 'none']);
});
