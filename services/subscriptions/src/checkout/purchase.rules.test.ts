import { expect, it } from 'vitest';
import { requireSellable, requireWithinLimits } from './purchase.rules.ts';

const product = { isActive: true, deletedAt: null };
const recurring = { isActive: true, type: 'recurring' } as const;
const oneTime = { isActive: true, type: 'one_time' } as const;
const refusal = (code: string) => expect.objectContaining({ code, status: 422 });

it('sells a recurring price as a subscription and a one-time price as a payment', () => {
  expect(() => requireSellable({ price: recurring, product }, 'subscription')).not.toThrow();
  expect(() => requireSellable({ price: oneTime, product }, 'payment')).not.toThrow();
  const mismatch = refusal('price_type_mismatch');
  expect(() => requireSellable({ price: oneTime, product }, 'subscription')).toThrow(mismatch);
  expect(() => requireSellable({ price: recurring, product }, 'payment')).toThrow(mismatch);
});

it('rejects inactive prices, and inactive or deleted products', () => {
  const inactive = { ...recurring, isActive: false };
  expect(() => requireSellable({ price: inactive, product }, 'subscription')).toThrow(refusal('price_inactive'));
  for (const unavailable of [
    { isActive: false, deletedAt: null },
    { isActive: true, deletedAt: new Date() },
  ]) {
    const offer = { price: recurring, product: unavailable };
    expect(() => requireSellable(offer, 'subscription')).toThrow(refusal('product_inactive'));
  }
});

it('limits subscriptions and trials only where the checkout asks for it', () => {
  const all = { isSubscribed: true, hadTrial: true };
  const none = { oncePerCustomer: false, trialOncePerCustomer: false, trialDays: 7 };
  expect(() => requireWithinLimits(all, none)).not.toThrow();
  expect(() => requireWithinLimits(all, { ...none, trialOncePerCustomer: true, trialDays: undefined })).not.toThrow();
  expect(() => requireWithinLimits(all, { ...none, trialOncePerCustomer: true })).toThrow(
    refusal('trial_already_used'),
  );
  const subscribed = expect.objectContaining({ code: 'already_subscribed', status: 409 });
  expect(() => requireWithinLimits(all, { ...none, oncePerCustomer: true })).toThrow(subscribed);
});
