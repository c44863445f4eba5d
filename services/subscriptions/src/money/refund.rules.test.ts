import { PAYMENT_STATUSES } from '@billing/contracts/resources/payment';
import { expect, it } from 'vitest';
import { requireRefundable } from './refund.rules.ts';

const payment = { status: 'succeeded', amount: 2_999, amountRefunded: 0, currency: 'usd' } as const;

it('allows a refund of what is left of a payment, up to the last cent', () => {
  for (const wanted of [undefined, 1, 2_999]) expect(() => requireRefundable(payment, wanted)).not.toThrow();
  const refunded = { ...payment, status: 'partially_refunded', amountRefunded: 1_000 } as const;
  for (const wanted of [undefined, 1_999]) expect(() => requireRefundable(refunded, wanted)).not.toThrow();
  const tooLarge = { code: 'refund_too_large', details: { refundable: 1_999 } };
  expect(() => requireRefundable(refunded, 2_000)).toThrow(expect.objectContaining(tooLarge));
});

it('allows none of a payment that took no money, is disputed, or has nothing left', () => {
  const refusedWith = (status: (typeof PAYMENT_STATUSES)[number], amountRefunded = 0) => {
    try {
      requireRefundable({ ...payment, status, amountRefunded });
      return null;
    } catch (err) {
      return Object(err).code;
    }
  };
  const allowed = PAYMENT_STATUSES.filter(status => refusedWith(status) === null);
  expect(allowed).toEqual(['succeeded', 'refunded', 'partially_refunded', 'inquiry']);
  expect(PAYMENT_STATUSES.map(status => refusedWith(status, 2_999))).toEqual(
    PAYMENT_STATUSES.map(() => 'payment_not_refundable'),
  );
});
