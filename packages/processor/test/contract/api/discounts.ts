import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ApiAccount } from './account.ts';
import { apiCase } from './case.ts';
import { amountsOf, APRIL, changing, NOW } from './plan-changes.ts';

const seconds = (time: string) => Date.parse(time) / 1_000;

async function createCode({ stripe, once }: ApiAccount) {
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever', name: 'Half' }, once());
  const code = `C${randomUUID().slice(0, 8)}`;
  const promotion = { type: 'coupon', coupon: coupon.id } as const;
  return { coupon, code, promotionCode: await stripe.promotionCodes.create({ promotion, code }, once()) };
}

export const discountCases = [
  apiCase('prorates a change at half the price', async account => {
    const { coupon } = await createCode(account);
    const dearer = await account.createPrice({ unit_amount: 4_000 });
    const april = { start: seconds('2026-04-01T00:00:00Z'), at: seconds('2026-04-16T00:00:00Z'), amount: 2_000 };
    const discounts = [{ coupon: coupon.id }];
    await changing(account, { ...april, discounts }, async ({ to, preview, change }) => {
      const terms = { ...to({ price: dearer.id }), ...NOW };
      expect(amountsOf(await preview(terms))).toEqual([-500, 1_000]);
      const { invoice, subscription } = await change(terms);
      expect([amountsOf(account.record('invoice', invoice)), invoice.total]).toEqual([[-500, 1_000], 500]);
      expect(subscription.discounts).toHaveLength(1);
      expect(account.record('next', await preview({}))).toMatchObject({ subtotal: 4_000, total: 2_000 });
    });
  }),

  apiCase('is a coupon or a promotion code, found by its text in any case', async account => {
    const { stripe, record, once, refusalOf, findEvent } = account;
    const { coupon, code, promotionCode } = await createCode(account);
    expect(record('coupon', coupon)).toMatchObject({ percent_off: 50, times_redeemed: 0, valid: true });
    record('code', promotionCode);
    const found = await stripe.promotionCodes.list({ code: code.toLowerCase() });
    expect(found.data.map(({ id }) => id)).toEqual([promotionCode.id]);
    const promotion = { type: 'coupon', coupon: coupon.id } as const;
    const twice = stripe.promotionCodes.create({ promotion, code }, once());
    expect(await refusalOf('twice', twice)).toMatchObject({ status: 400 });
    const off = await stripe.promotionCodes.update(promotionCode.id, { active: false }, once());
    expect(off.active).toBe(false);
    await findEvent('promotion_code.updated', promotionCode.id);
    expect(await stripe.coupons.del(coupon.id)).toMatchObject({ deleted: true });
    expect(await refusalOf('deleted', stripe.coupons.retrieve(coupon.id))).toMatchObject({ status: 404 });
    await findEvent('coupon.deleted', coupon.id);
  }),

  apiCase('counts from the next invoice on, and is removed', async account => {
    const { promotionCode, coupon } = await createCode(account);
    await changing(account, { ...APRIL, amount: 2_000 }, async ({ subscription, preview, change }) => {
      const before = await change({ discounts: [{ promotion_code: promotionCode.id }] });
      expect(before.invoice.billing_reason).toBe('subscription_create');
      const shown = await account.stripe.subscriptions.retrieve(subscription.id, {
        expand: ['discounts.source.coupon'],
      });
      expect(account.record('discounted', shown).discounts).toMatchObject([
        { promotion_code: promotionCode.id, end: null, source: { coupon: { id: coupon.id } } },
      ]);
      expect(await preview({})).toMatchObject({ subtotal: 2_000, total: 1_000 });
      await account.findEvent('promotion_code.updated', promotionCode.id);
      const { subscription: without } = await change({ discounts: '' });
      expect(without.discounts).toEqual([]);
    });
  }),

  apiCase('is refused once its code is inactive or used up', async account => {
    const { promotionCode } = await createCode(account);
    await account.stripe.promotionCodes.update(promotionCode.id, { active: false }, account.once());
    await changing(account, { ...APRIL, amount: 2_000 }, async ({ change }) => {
      const attempt = change({ discounts: [{ promotion_code: promotionCode.id }] });
      expect(await account.refusalOf('inactive', attempt)).toMatchObject({ status: 400 });
    });
  }),

  apiCase('is taken by a checkout session', async account => {
    const { promotionCode } = await createCode(account);
    const line_items = [{ price: (await account.createPrice()).id, quantity: 1 }];
    const wanted = { mode: 'subscription', success_url: 'https://example.com/done', line_items } as const;
    const discounts = [{ promotion_code: promotionCode.id }];
    const session = await account.stripe.checkout.sessions.create({ ...wanted, discounts }, account.once());
    expect(account.record('session', session)).toMatchObject({ amount_subtotal: 2_999, amount_total: 1_499 });
    const both = { ...wanted, discounts, allow_promotion_codes: true };
    const refused = account.stripe.checkout.sessions.create(both, account.once());
    expect(await account.refusalOf('both', refused)).toMatchObject({ status: 400 });
  }),
];
