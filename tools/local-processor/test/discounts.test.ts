import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { amountsOf, invoiceOf, seconds, startOnClock } from './change-fixtures.ts';
import { idOf } from './checkout-fixtures.ts';
import { startProcessor } from './processor.ts';

const NOW = { proration_behavior: 'always_invoice' } as const;

/** An account on a clock, with a coupon on its subscription. */
async function startDiscounted(processor: { url: string }, coupon: Stripe.CouponCreateParams, amount = 2_000) {
  const account = await startOnClock(processor, '2026-04-01', { amount });
  const made = await account.stripe.coupons.create(coupon);
  const changed = await account.change({ discounts: [{ coupon: made.id }] });
  return { ...account, coupon: made, discount: idOf(changed.discounts[0] ?? null) };
}

async function types(stripe: Stripe, prefix: string): Promise<string[]> {
  const { data } = await stripe.events.list({ limit: 100 });
  return data.flatMap(({ type }) => (type.startsWith(prefix) ? [type] : [])).toReversed();
}

test('credits and debits a change with a discount for ever at half the price', async () => {
  await using processor = await startProcessor();
  const { stripe, ...account } = await startOnClock(processor, '2026-03-02', { amount: 1 });
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  const [small, large] = await Promise.all([2_000, 4_000].map(amount => account.createPrice(amount)));
  await account.advance('2026-04-01');
  const anchor = { billing_cycle_anchor: { type: 'now' as const }, ...NOW };
  const discounts = [{ coupon: coupon.id }];
  const begun = await account.change({ ...account.to({ price: small?.id ?? '' }), ...anchor, discounts });
  expect(invoiceOf(begun).lines.data.at(-1)).toMatchObject({ amount: 2_000, discount_amounts: [{ amount: 1_000 }] });
  await account.advance('2026-04-16');
  const terms = { ...account.to({ price: large?.id ?? '' }), ...NOW };
  const preview = await account.preview(terms);
  expect([amountsOf(preview), preview.total]).toEqual([[-500, 1_000], 500]);
  expect(amountsOf(invoiceOf(await account.change(terms)))).toEqual([-500, 1_000]);
  expect(await account.preview({})).toMatchObject({ subtotal: 4_000, total: 2_000 });
});

test('a discount counts from the next invoice on, without a proration', async () => {
  await using processor = await startProcessor();
  const account = await startDiscounted(processor, { percent_off: 25, duration: 'forever' });
  const { stripe, discount, coupon } = account;
  expect((await stripe.invoiceItems.list()).data).toEqual([]);
  expect(await account.invoices()).toHaveLength(1);
  const preview = await account.preview({});
  expect(preview).toMatchObject({
    subtotal: 2_000,
    total: 1_500,
    amount_due: 1_500,
    discounts: [discount],
    total_discount_amounts: [{ amount: 500, discount }],
  });
  await account.advance('2026-05-01T01:00:00Z');
  expect(invoiceOf(await account.current())).toMatchObject({ subtotal: 2_000, total: 1_500, amount_paid: 1_500 });
  const page = await fetch(invoiceOf(await account.current()).hosted_invoice_url ?? '');
  expect(await page.text()).toContain('-$5.00');
  const expand = ['discounts.source.coupon'];
  expect(await stripe.subscriptions.retrieve(account.subscription.id, { expand })).toMatchObject({
    discounts: [{ id: discount, end: null, source: { coupon: { id: coupon.id, percent_off: 25 } } }],
  });
  expect(await types(stripe, 'customer.discount')).toEqual(['customer.discount.created']);
  expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(1);
});

test('a coupon for one invoice is gone after it', async () => {
  await using processor = await startProcessor();
  const account = await startDiscounted(processor, { amount_off: 700, currency: 'usd', duration: 'once' });
  expect((await account.preview({})).total).toBe(1_300);
  await account.advance('2026-05-01T01:00:00Z');
  const renewed = await account.current();
  expect(renewed).toMatchObject({ discounts: [], latest_invoice: { total: 1_300, status: 'paid' } });
  expect((await account.preview({})).total).toBe(2_000);
  expect(await types(account.stripe, 'customer.discount')).toEqual([
    'customer.discount.created',
    'customer.discount.deleted',
  ]);
});

test('a coupon for some months ends with them', async () => {
  await using processor = await startProcessor();
  const coupon = { percent_off: 50, duration: 'repeating', duration_in_months: 2 } as const;
  const account = await startDiscounted(processor, coupon);
  for (const [day, total] of [
    ['2026-05-01', 1_000],
    ['2026-06-01', 2_000],
  ] as const) {
    expect((await account.preview({})).total).toBe(total);
    await account.advance(day);
    expect(invoiceOf(await account.current()).total).toBe(total);
  }
  expect((await account.current()).discounts).toEqual([]);
});

test('survives changes of price and quantity, and is removed by an empty list', async () => {
  await using processor = await startProcessor();
  const account = await startDiscounted(processor, { percent_off: 50, duration: 'forever' });
  const dearer = await account.createPrice(6_000);
  const yearly = await account.createPrice(60_000, 'year');
  await account.advance('2026-04-16');
  for (const change of [
    account.to({ price: dearer.id }),
    account.to({ quantity: 3 }),
    account.to({ price: yearly.id }),
  ])
    expect((await account.change({ ...change, ...NOW })).discounts).toEqual([account.discount]);
  expect(invoiceOf(await account.current()).lines.data.at(-1)).toMatchObject({
    amount: 60_000,
    discount_amounts: [{ amount: 30_000, discount: account.discount }],
  });
  expect((await account.change({ discounts: '' })).discounts).toEqual([]);
  expect((await types(account.stripe, 'customer.discount')).at(-1)).toBe('customer.discount.deleted');
});

test('previews a promotion code without redeeming it, and keeps the discounts beside it', async () => {
  await using processor = await startProcessor();
  const account = await startDiscounted(processor, { percent_off: 50, duration: 'forever' });
  const { stripe, coupon } = account;
  const code = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: coupon.id },
    code: 'Save-50',
  });
  const discounts = [{ discount: account.discount }, { promotion_code: code.id }];
  await account.advance('2026-04-16');
  const terms = { ...account.to({ quantity: 2 }), ...NOW };
  const preview = await account.preview(terms, { discounts });
  expect(amountsOf(preview)).toEqual([-1_000, 500]);
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(0);
  const changed = await account.change({ ...terms, discounts });
  expect(amountsOf(invoiceOf(changed))).toEqual([-1_000, 500]);
  expect(changed.discounts).toEqual([account.discount, expect.stringMatching(/^di_/)]);
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1);
});

test('holds a promotion code back with its change', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000 });
  const { stripe, customer } = account;
  const failing = await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer: customer.id });
  await account.change({ default_payment_method: failing.id });
  const { id } = await stripe.coupons.create({ percent_off: 50, duration: 'forever' });
  await account.advance('2026-04-16');
  const held = await account.change({
    ...account.to({ quantity: 3 }),
    ...NOW,
    payment_behavior: 'pending_if_incomplete',
    discounts: [{ coupon: id }],
  });
  expect(held).toMatchObject({ discounts: [], pending_update: { discounts: [expect.stringMatching(/^di_/)] } });
  expect(amountsOf(invoiceOf(held))).toEqual([-1_000, 1_500]);
  expect((await stripe.coupons.retrieve(id)).times_redeemed).toBe(0);
  const confirm = new URLSearchParams({ action: 'confirm' });
  await fetch(invoiceOf(held).hosted_invoice_url ?? '', { method: 'POST', body: confirm, redirect: 'manual' });
  expect((await account.current()).discounts).toEqual(held.pending_update?.discounts);
  expect((await stripe.coupons.retrieve(id)).times_redeemed).toBe(1);
});

test('lists codes by their text in any case, and shows which can be redeemed', async () => {
  await using processor = await startProcessor();
  const { stripe, advance, change, customer } = await startOnClock(processor, '2026-04-01');
  const coupon = await stripe.coupons.create({ id: 'SPRING', percent_off: 12.5, max_redemptions: 1 });
  const promotion = { type: 'coupon', coupon: 'SPRING' } as const;
  const code = await stripe.promotionCodes.create({ promotion, code: 'Spring-26' });
  await expect(stripe.promotionCodes.create({ promotion, code: 'SPRING-26' })).rejects.toThrow(/already exists/);
  const found = await stripe.promotionCodes.list({ code: 'sPRING-26', active: true });
  expect(found.data).toMatchObject([{ id: code.id, promotion: { coupon: 'SPRING' }, active: true }]);
  expect((await stripe.promotionCodes.list({ coupon: coupon.id })).data).toHaveLength(1);
  await change({ discounts: [{ promotion_code: code.id }] });
  expect(await stripe.coupons.retrieve('SPRING')).toMatchObject({ times_redeemed: 1, valid: false, percent_off: 12.5 });
  expect(await stripe.promotionCodes.retrieve(code.id)).toMatchObject({ active: false });
  await expect(change({ discounts: [{ promotion_code: code.id }] })).rejects.toThrow(/maximum number of times/);
  await expect(stripe.promotionCodes.update(code.id, { active: true })).rejects.toThrow(/maximum number of times/);

  const other = await stripe.coupons.create({ percent_off: 10, duration: 'forever' });
  const limited = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: other.id },
    restrictions: { minimum_amount: 5_000, minimum_amount_currency: 'usd' },
  });
  await expect(change({ discounts: [{ promotion_code: limited.id }] })).rejects.toThrow(/minimum amount/);
  const first = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: other.id },
    restrictions: { first_time_transaction: true },
  });
  await expect(change({ discounts: [{ promotion_code: first.id }] })).rejects.toThrow(/prior transactions/);
  const own = await stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: other.id },
    customer: customer.id,
  });
  await stripe.promotionCodes.update(own.id, { active: false });
  await expect(change({ discounts: [{ promotion_code: own.id }] })).rejects.toThrow(/inactive/);
  await stripe.coupons.del(other.id);
  await expect(stripe.coupons.retrieve(other.id)).rejects.toMatchObject({ statusCode: 404 });
  await expect(change({ discounts: [{ coupon: other.id }] })).rejects.toMatchObject({ code: 'resource_missing' });
  await advance(seconds('2026-04-02'));
});

test('goes on with the coupon of a discount that was deleted', async () => {
  await using processor = await startProcessor();
  const account = await startDiscounted(processor, { percent_off: 50, duration: 'forever' });
  await account.stripe.coupons.del(account.coupon.id);
  expect((await account.preview({})).total).toBe(1_000);
});

test('limits a coupon to its products, which are shown when expanded', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000 });
  const { stripe, product } = account;
  const other = await stripe.products.create({ name: 'Other' });
  const coupon = await stripe.coupons.create({
    percent_off: 50,
    duration: 'forever',
    applies_to: { products: [other.id] },
  });
  expect(coupon).not.toHaveProperty('applies_to');
  const shown = await stripe.coupons.retrieve(coupon.id, { expand: ['applies_to'] });
  expect(shown.applies_to).toEqual({ products: [other.id] });
  await account.change({ discounts: [{ coupon: coupon.id }] });
  expect((await account.preview({})).total).toBe(2_000);
  const own = await stripe.coupons.create({
    percent_off: 50,
    duration: 'forever',
    applies_to: { products: [product.id] },
  });
  await account.change({ discounts: [{ coupon: own.id }] });
  expect((await account.preview({})).total).toBe(1_000);
});

test('refuses coupons that contradict themselves', async () => {
  await using processor = await startProcessor();
  const { stripe } = await startOnClock(processor, '2026-04-01');
  const wrong: Stripe.CouponCreateParams[] = [
    {},
    { percent_off: 10, amount_off: 10, currency: 'usd' },
    { percent_off: 101 },
    { amount_off: 10 },
    { percent_off: 10, currency_options: { eur: { amount_off: 10 } } },
    { percent_off: 10, duration: 'repeating' },
    { percent_off: 10, duration_in_months: 3 },
    { percent_off: 10, redeem_by: 1_000 },
    { percent_off: 10, redeem_by: seconds('2099-01-01') },
  ];
  for (const params of wrong) await expect(stripe.coupons.create(params)).rejects.toMatchObject({ statusCode: 400 });
});
