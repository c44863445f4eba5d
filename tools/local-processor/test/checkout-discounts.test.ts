import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { idOf, openCheckout, press } from './checkout-fixtures.ts';
import { connect, startProcessor } from './processor.ts';

async function createCode(stripe: Stripe, code = 'HALF') {
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  return stripe.promotionCodes.create({ code, promotion: { type: 'coupon', coupon: coupon.id } });
}

const enter = (session: { url: string | null }, code: string) =>
  fetch(session.url ?? '', {
    method: 'POST',
    body: new URLSearchParams({ action: 'code', code }),
    redirect: 'manual',
  });

test('sells a subscription with the promotion code that its session names', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const code = await createCode(stripe);
  const { session } = await openCheckout(stripe, { discounts: [{ promotion_code: code.id }] });
  expect(session).toMatchObject({
    amount_subtotal: 2_999,
    amount_total: 1_499,
    total_details: { amount_discount: 1_500 },
    discounts: [{ promotion_code: code.id, coupon: null }],
  });
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(0);

  await press(session, 'pay');

  const paid = await stripe.checkout.sessions.retrieve(session.id);
  const expand = ['discounts', 'latest_invoice'];
  const subscription = await stripe.subscriptions.retrieve(idOf(paid.subscription), { expand });
  expect(subscription).toMatchObject({
    discounts: [{ promotion_code: code.id, checkout_session: session.id, subscription: subscription.id }],
    latest_invoice: { subtotal: 2_999, total: 1_499, amount_paid: 1_499 },
  });
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1);
});

test('takes a code on the page only where the session allows codes', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  await createCode(stripe);
  const { session } = await openCheckout(stripe, { allow_promotion_codes: true });
  const page = async () => (await fetch(session.url ?? '')).text();
  expect(await page()).toContain('Promotion code');
  const wrong = await enter(session, 'NONE');
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('This code is invalid.')]);
  await press(session, 'decline');
  expect((await enter(session, 'half')).status).toBe(303);
  expect(await page()).toContain('$15.00 off');
  await press(session, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(session.id);
  expect(paid).toMatchObject({ amount_total: 1_499, status: 'complete' });
  const [charge] = (await stripe.charges.list({ limit: 1 })).data;
  expect(charge).toMatchObject({ amount: 1_499, paid: true });

  const { session: closed } = await openCheckout(stripe);
  expect(await (await fetch(closed.url ?? '')).text()).not.toContain('Promotion code');
  expect((await enter(closed, 'half')).status).toBe(400);
});

test('discounts a one-time payment and its invoice', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const code = await createCode(stripe);
  const product = await stripe.products.create({ name: 'Book' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 4_000 });
  const { session } = await openCheckout(stripe, {
    mode: 'payment',
    line_items: [{ price: price.id, quantity: 1 }],
    discounts: [{ promotion_code: code.id }],
    invoice_creation: { enabled: true },
  });
  await press(session, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['invoice', 'payment_intent'] });
  expect(paid).toMatchObject({
    amount_total: 2_000,
    invoice: { subtotal: 4_000, total: 2_000, status: 'paid' },
    payment_intent: { amount: 2_000, status: 'succeeded' },
  });
});

test('refuses a code beside a page that takes codes, and one that cannot be redeemed', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const code = await createCode(stripe);
  const discounts = [{ promotion_code: code.id }];
  await expect(openCheckout(stripe, { discounts, allow_promotion_codes: true })).rejects.toMatchObject({
    statusCode: 400,
  });
  await stripe.promotionCodes.update(code.id, { active: false });
  await expect(openCheckout(stripe, { discounts })).rejects.toThrow(/inactive/);
  await expect(openCheckout(stripe, { discounts: [{ coupon: 'none' }] })).rejects.toMatchObject({
    code: 'resource_missing',
  });
});
