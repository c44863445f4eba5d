import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCharge, readPaymentIntent } from './payment-snapshot.ts';

const created = 1_700_000_000;
const paymentIntent = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 2_999,
  currency: 'usd',
  customer: 'cus_1',
  status: 'requires_payment_method',
  capture_method: 'automatic',
  last_payment_error: { code: 'card_declined', decline_code: 'generic_decline', type: 'card_error' },
  metadata: { projectId: 'proj_1' },
  created,
};
const charge = {
  id: 'ch_1',
  object: 'charge',
  amount: 2_999,
  currency: 'usd',
  customer: { id: 'cus_1', object: 'customer' },
  payment_intent: 'pi_1',
  status: 'failed',
  failure_code: 'card_declined',
  outcome: { type: 'issuer_declined', reason: 'generic_decline' },
  metadata: {},
  created,
};

it('reads payments of API versions that name the invoice', () => {
  expect(readPaymentIntent({ ...paymentIntent, invoice: 'in_1' }, 'failed')).toEqual(
    readPaymentIntent(paymentIntent, 'failed'),
  );
  expect(readCharge({ ...charge, invoice: 'in_1' }, 'failed')).toEqual(readCharge(charge, 'failed'));
  expect(readCharge(charge, 'failed')).toMatchObject({ processorCustomerId: 'cus_1', failureCode: 'card_declined' });
});

it('reads unknown statuses, reasons and codes', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (status, code) => {
      const declined = { ...paymentIntent, status, last_payment_error: { code, type: code } };
      expect(readPaymentIntent(declined, 'failed')).toMatchObject({ status: 'failed', failureCode: code });
      expect(readCharge({ ...charge, status, failure_code: code }, 'failed').failureCode).toBe(code);
    }),
  );
});

it('reads payments whose optional fields are absent or null', () => {
  const optional = ['customer', 'metadata', 'last_payment_error', 'failure_code', 'payment_intent', 'outcome'];
  const lacks = fc.dictionary(fc.constantFrom(...optional), fc.constantFrom(null, undefined));
  fc.assert(
    fc.property(lacks, lacking => {
      for (const read of [
        readPaymentIntent({ ...paymentIntent, ...lacking }, 'failed'),
        readCharge({ ...charge, ...lacking }, 'failed'),
      ])
        expect(Object.values(read)).not.toContain(undefined);
    }),
  );
});

it('ignores the error of an earlier attempt when the payment succeeded', () => {
  expect(readPaymentIntent(paymentIntent, 'succeeded').failureCode).toBeNull();
});
