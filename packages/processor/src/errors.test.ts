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
  [null, { code: 'subscription_payment_intent_requires_action' }, 'authentication_required'],
  [
    'authentication_required',
    { code: 'authentication_required', decline_code: 'authentication_required' },
    'authentication_required',
  ],
])('has the decline code %s of a failed payment', (declineCode, raw, reason = 'declined') => {
  const error = new Stripe.errors.StripeCardError({ type: 'card_error', message: 'No.', ...raw });
  const failure = paymentFailureOf(problemOfStripe(Object.assign(error, { statusCode: 402 })));
  expect(failure).toEqual({ reason, declineCode });
});

it.each([
  ["No such customer: 'cus_1'", { type: 'customer', processorId: 'cus_1' }],
  ["No such promotion code: 'promo_1'", { type: 'promotion_code', processorId: 'promo_1' }],
  ["No such payment_intent: 'pi_1'", { type: 'payment', processorId: 'pi_1' }],
  ["No such charge: 'ch_1'", { type: 'payment', processorId: 'ch_1' }],
  ["No such plan: 'gold: 2024'", { type: 'price', processorId: 'gold: 2024' }],
  ['No such coupon: SAVE10', { type: 'coupon', processorId: 'SAVE10' }],
  ["No such PaymentMethod: 'pm_1'", null],
  [
    "No such customer: 'cus_1'; a similar object exists in live mode, but a test mode key was used to make this request.",
    null,
  ],
])('reads which object is missing: %s', (message, missing) => {
  const raw = { type: 'invalid_request_error', code: 'resource_missing', message } as const;
  const error = new Stripe.errors.StripeInvalidRequestError(raw);
  const [status, code] = missing ? [404, `${missing.type}_not_found`] : [502, 'processor_error'];
  expect(problemOfStripe(Object.assign(error, { statusCode: 404 }))).toMatchObject({ missing, status, code });
});
