import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCharge, readDispute, readPaymentIntent, readRefund } from './payments.ts';

const created = 1_700_000_000;
const paymentIntent = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 2_999,
  currency: 'usd',
  customer: 'cus_1',
  status: 'requires_payment_method',
  capture_method: 'automatic',
  last_payment_error: { code: 'card_declined', message: 'No.', decline_code: 'generic_decline', type: 'card_error' },
  metadata: { projectId: 'proj_1' },
  created,
};
const charge = {
  id: 'ch_1',
  object: 'charge',
  amount: 2_999,
  amount_refunded: 0,
  currency: 'usd',
  customer: { id: 'cus_1', object: 'customer' },
  payment_intent: 'pi_1',
  status: 'failed',
  failure_code: 'card_declined',
  failure_message: 'No.',
  outcome: { type: 'issuer_declined', reason: 'generic_decline' },
  metadata: {},
  created,
};
const change = { id: 're_1', amount: 100, status: 'pending', charge: 'ch_1', payment_intent: 'pi_1', created };

it('reads the invoice of API versions that name it', () => {
  expect(readPaymentIntent({ ...paymentIntent, invoice: 'in_1' }).invoiceId).toBe('in_1');
  expect(readCharge({ ...charge, invoice: { id: 'in_1', object: 'invoice' } }).invoiceId).toBe('in_1');
  expect(readPaymentIntent(paymentIntent).invoiceId).toBeNull();
  expect(readCharge(charge)).toMatchObject({ customerId: 'cus_1', invoiceId: null, failureCode: 'card_declined' });
});

it('reads unknown statuses, reasons and codes', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (status, code) => {
      const declined = { ...paymentIntent, status, last_payment_error: { code, type: code } };
      expect(readPaymentIntent(declined)).toMatchObject({ failureCode: code, failureMessage: null });
      expect(readCharge({ ...charge, status, failure_code: code })).toMatchObject({ status, failureCode: code });
      for (const read of [readDispute, readRefund]) expect(read({ ...change, status })).toMatchObject({ status });
    }),
  );
});

it('reads payments whose optional fields are absent or null', () => {
  const optional = [
    'customer',
    'metadata',
    'last_payment_error',
    'failure_code',
    'failure_message',
    'amount_refunded',
    'payment_intent',
    'charge',
    'outcome',
    'status',
  ];
  const lacks = fc.dictionary(fc.constantFrom(...optional), fc.constantFrom(null, undefined));
  fc.assert(
    fc.property(lacks, lacking => {
      for (const read of [
        readPaymentIntent({ ...paymentIntent, ...lacking }),
        readCharge({ ...charge, ...lacking }),
        readDispute({ ...change, ...lacking }),
        readRefund({ ...change, ...lacking }),
      ])
        expect(Object.values(read)).not.toContain(undefined);
    }),
  );
});

describe('the method of payment', () => {
  const card = { type: 'card', brand: 'visa', last4: '4242' };
  const details = { type: 'card', card: { brand: 'visa', last4: '4242', funding: 'credit' } };

  it.each([
    [details, card],
    [
      { type: 'sepa_debit', sepa_debit: { last4: '3000', bank_code: '1' } },
      { type: 'sepa_debit', brand: null, last4: '3000' },
    ],
    [
      { type: 'ideal', ideal: { bank: 'ing', iban_last4: '5264' } },
      { type: 'ideal', brand: null, last4: '5264' },
    ],
    [
      { type: 'link', link: {} },
      { type: 'link', brand: null, last4: null },
    ],
    [
      { type: 'klarna', klarna: null },
      { type: 'klarna', brand: null, last4: null },
    ],
    [null, null],
  ])('is read from the details %j of a charge', (given, expected) => {
    expect(readCharge({ ...charge, payment_method_details: given }).paymentMethod).toEqual(expected);
  });

  it('is read from an intent’s newest charge in old payloads, and from its last error', () => {
    const charges = { object: 'list', has_more: true, data: [{ ...charge, payment_method_details: details }, charge] };
    expect(readPaymentIntent({ ...paymentIntent, charges }).paymentMethod).toEqual(card);
    expect(readPaymentIntent({ ...paymentIntent, charges: { data: [] } }).paymentMethod).toBeNull();
    const declined = { code: 'card_declined', payment_method: { id: 'pm_1', ...details } };
    const refused = readPaymentIntent({ ...paymentIntent, last_payment_error: declined });
    expect(refused).toMatchObject({ paymentMethod: null, refusedMethod: card });
  });
});
