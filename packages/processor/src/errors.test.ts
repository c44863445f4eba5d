import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { isRefusedPromotionCode, paymentFailureOf, problemOfStripe } from './errors.ts';

it.each([
  ['its parameter', { param: 'discounts[0][promotion_code]' }, true],
  ['its code', { code: 'promotion_code_customer_not_first_time' }, true],
  ['the code of its coupon', { code: 'coupon_expired' }, true],
  ['another parameter', { param: 'items[0][price]', code: 'resource_missing' }, false],
])('knows a refused promotion code by %s', (_what, raw, expected) => {
  const error = new Stripe.errors.StripeInvalidRequestError({ type: 'invalid_request_error', message: 'No.', ...raw });
  expect(isRefusedPromotionCode(problemOfStripe(Object.assign(error, { statusCode: 400 })))).toBe(expected);
});

it.each([
  ['generic_decline', { decline_code: 'generic_decline' }],
  [null, { code: 'subscription_payment_intent_requires_action' }],
])('has the decline code %s of a failed payment', (declineCode, raw) => {
  const error = new Stripe.errors.StripeCardError({ type: 'card_error', message: 'No.', ...raw });
  const failure = paymentFailureOf(problemOfStripe(Object.assign(error, { statusCode: 402 })));
  expect(failure).toMatchObject({ declineCode });
});
