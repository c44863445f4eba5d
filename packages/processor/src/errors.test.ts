import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { isRefusedPromotionCode, problemOfStripe } from './errors.ts';

it.each([
  ['its parameter', { param: 'discounts[0][promotion_code]' }, true],
  ['its code', { code: 'promotion_code_customer_not_first_time' }, true],
  ['the code of its coupon', { code: 'coupon_expired' }, true],
  ['another parameter', { param: 'items[0][price]', code: 'resource_missing' }, false],
])('knows a refused promotion code by %s', (_what, raw, expected) => {
  const error = new Stripe.errors.StripeInvalidRequestError({ type: 'invalid_request_error', message: 'No.', ...raw });
  expect(isRefusedPromotionCode(problemOfStripe(Object.assign(error, { statusCode: 400 })))).toBe(expected);
});
