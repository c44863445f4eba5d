import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPaymentMethod } from './payment-method.ts';
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
  const nothing = { brand: null, last4: null, bankName: null, country: null, account: null };
  const card = { ...nothing, type: 'card', brand: 'visa', last4: '4242' };
  const details = { type: 'card', card: { brand: 'visa', last4: '4242', funding: 'credit', country: 'US' } };

  it.each([
    [details, card],
    [
      { type: 'sepa_debit', sepa_debit: { last4: '3000', bank_code: '1', country: 'DE' } },
      { last4: '3000', country: 'DE' },
    ],
    [
      { type: 'us_bank_account', us_bank_account: { last4: '6789', bank_name: 'TEST BANK' } },
      { last4: '6789', bankName: 'TEST BANK' },
    ],
    [
      { type: 'ideal', ideal: { bank: 'ing', iban_last4: '5264' } },
      { bankName: 'ing', last4: '5264' },
    ],
    [{ type: 'paypal', paypal: { payer_email: 'ada.lovelace@example.com' } }, { account: 'a•••e@example.com' }],
    [{ type: 'cashapp', cashapp: { cashtag: '$jenny', buyer_id: 'x' } }, { account: '$j•••y' }],
    [{ type: 'upi', upi: { vpa: 'ada@okbank' } }, { account: 'a•••@okbank' }],
    [
      { type: 'revolut_pay', revolut_pay: { funding: { type: 'card', card: { brand: 'visa', last4: '4242' } } } },
      { brand: 'visa', last4: '4242' },
    ],
    [
      { type: 'mobilepay', mobilepay: { card: { brand: 'visa', last4: '4242' } } },
      { brand: 'visa', last4: '4242' },
    ],
    [{ type: 'klarna', klarna: null }, {}],
    [{ type: 'link', link: {} }, {}],
    // What is only shown costs nobody the payment.
    [{ type: 'new_pay', new_pay: { bank: { id: 1 }, last4: 4242, email: ['x'], funding: null } }, {}],
  ])('is read from the details %j of a charge', (given, expected) => {
    const read = readCharge({ ...charge, payment_method_details: given }).paymentMethod;
    expect(read).toEqual({ ...nothing, type: given.type, ...expected });
  });

  it('has the payer’s address where nothing else tells it apart', () => {
    const paid = { ...charge, billing_details: { email: 'al@example.com' } };
    const read = (method: object) => readCharge({ ...paid, payment_method_details: method }).paymentMethod;
    expect(read({ type: 'amazon_pay', amazon_pay: {} })).toEqual({
      ...nothing,
      type: 'amazon_pay',
      account: 'a•••@example.com',
    });
    expect(read(details)).toEqual(card);
    expect(readCharge({ ...paid, payment_method_details: null }).paymentMethod).toBeNull();
  });

  it.each([
    [
      { id: 'pm_1', object: 'payment_method', type: 'link', link: { email: 'ada@example.com' } },
      { type: 'link', account: 'a•••@example.com' },
    ],
    [{ id: 'pm_1', object: 'payment_method', ...details }, card],
    [
      { id: 'ba_1', object: 'bank_account', last4: '6789', bank_name: 'TEST BANK', country: 'US', account_type: null },
      { type: 'bank_account', last4: '6789', bankName: 'TEST BANK', country: 'US' },
    ],
    [
      {
        id: 'card_1',
        object: 'card',
        brand: 'American Express',
        last4: '0005',
        country: 'US',
        funding: 'credit',
        exp_month: 8,
        exp_year: 2030,
      },
      { type: 'card', brand: 'American Express', last4: '0005', expiry: { expMonth: 8, expYear: 2030 } },
    ],
    [
      {
        id: 'src_1',
        object: 'source',
        type: 'card',
        card: { brand: 'Visa', last4: '4242', exp_month: 8, exp_year: 2030 },
      },
      { type: 'card', brand: 'Visa', last4: '4242', expiry: { expMonth: 8, expYear: 2030 } },
    ],
    [
      { id: 'src_1', object: 'source', type: 'ach_credit_transfer', ach_credit_transfer: { bank_name: 'TEST BANK' } },
      { type: 'ach_credit_transfer', bankName: 'TEST BANK' },
    ],
    [{ id: 'x_1', object: 'new_source' }, { type: 'new_source' }],
    [{ id: 'x_1' }, { type: 'unknown' }],
  ])('is read from %j', (given, expected) => {
    expect(readPaymentMethod(given)).toEqual({ ...nothing, expiry: null, id: given.id, ...expected });
  });

  it('never has a whole address or name of a payer', () => {
    const name = fc.string({ minLength: 3, unit: fc.constantFrom('a', 'b', 'ß', '🙂', '.', '$') });
    fc.assert(
      fc.property(name, fc.constantFrom('', '@example.com'), (account, domain) => {
        const given = { id: 'pm_1', type: 'cashapp', cashapp: { cashtag: `${account}${domain}` } };
        const shown = readPaymentMethod(given).account ?? '';
        expect(shown).not.toContain(account);
        expect(shown).toContain('•••');
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
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
