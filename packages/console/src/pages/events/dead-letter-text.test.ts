import { expect, it } from 'vitest';
import { happeningOf } from './dead-letter-text.ts';

it.each([
  ['processor.checkout.session.completed.v1', 'Checkout session completed'],
  ['processor.invoice.payment_failed.v1', 'Invoice payment failed'],
  ['record.subscription.created.v1', 'Subscription created'],
  ['processor-account.changed.v2', 'Processor account changed'],
])('calls %s %s', (type, happening) => {
  expect(happeningOf({ type })).toBe(happening);
});
