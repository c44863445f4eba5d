import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isMissing, ProcessorError } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

/** Tests coupons, promotion codes and what they are redeemed for. */
export function discountCases({
  paidIt,
  processor,
  key,
  createCustomer,
  subscribe,
  openCheckout,
  createPrice,
}: Cases): void {
  const half = { name: 'Half', off: { percent: 50 }, duration: 'forever' } as const;
  const createCode = async () => {
    const coupon = await processor().createCoupon({ ...half, metadata: {} }, key());
    const code = `C${randomUUID().slice(0, 8)}`;
    return { coupon, code: await processor().createPromotionCode({ couponId: coupon.id, code, metadata: {} }, key()) };
  };

  it('is created with its limits, and found by the operation that created it', async () => {
    const { productId } = await createPrice(null);
    const metadata = { operationId: randomUUID() };
    const limits = { productIds: [productId], maxRedemptions: 5 };
    const off = { off: { amount: 700, currency: 'usd' }, duration: 'repeating', durationInMonths: 3 } as const;
    const coupon = await processor().createCoupon({ name: 'Seven', ...off, ...limits, metadata }, key());
    expect(coupon).toMatchObject({
      name: 'Seven',
      percentOff: null,
      amountOff: 700,
      currency: 'usd',
      duration: 'repeating',
      durationInMonths: 3,
      timesRedeemed: 0,
      isValid: true,
      metadata,
      ...limits,
    });
    expect(await processor().findCoupon(coupon.id)).toEqual(coupon);
    expect(await processor().findCreatedCoupon({ metadata, since: new Date() })).toEqual(coupon);
    await processor().addMetadata('coupon', coupon.id, { season: 'spring' }, key());
    const shown = { id: coupon.id, applies_to: { products: [productId] }, metadata: { ...metadata, season: 'spring' } };
    expect((await processor().listObjects('coupon')).objects[0]).toMatchObject(shown);
    expect((await processor().findListed('coupon', coupon.id)).object).toMatchObject(shown);
    await processor().deleteCoupon(coupon.id);
    expect((await processor().findListed('coupon', coupon.id)).object).toBeNull();
    await expect(processor().findCoupon(coupon.id)).rejects.toSatisfy(isMissing);
  });

  it('is redeemed by a code that is found in any case, until that is inactive', async () => {
    const { coupon, code } = await createCode();
    expect(code).toMatchObject({ couponId: coupon.id, isActive: true, firstTimeOnly: false, minimumAmount: null });
    expect(await processor().listPromotionCodes(code.code.toLowerCase())).toEqual([code]);
    const changed = await processor().updatePromotionCode(code.id, { isActive: false, metadata: { a: '1' } }, key());
    expect(changed).toMatchObject({ id: code.id, isActive: false, metadata: { a: '1' } });
    expect(await processor().findPromotionCode(code.id)).toEqual(changed);
    expect((await processor().listObjects('promotion_code')).objects[0]).toMatchObject({ id: code.id, active: false });
    const since = new Date();
    expect(await processor().findCreatedPromotionCode(coupon.id, { metadata: { a: '1' }, since })).toEqual(changed);
  });

  it('has amounts in several currencies, and so have the limits of its codes', async () => {
    const off = { amount: 500, currency: 'usd', currencyOptions: { eur: 450 } };
    const coupon = await processor().createCoupon({ ...half, off, metadata: {} }, key());
    expect(coupon).toMatchObject({ amountOff: 500, currency: 'usd' });
    expect(coupon.currencyOptions?.get('eur')).toBe(450);
    const minimum = { amount: 1_000, currency: 'usd', currencyOptions: { eur: 900 } };
    const code = await processor().createPromotionCode({ couponId: coupon.id, minimum, metadata: {} }, key());
    expect(code.currencyOptions?.get('eur')).toBe(900);
    expect(await processor().findCoupon(coupon.id)).toEqual(coupon);
    expect(await processor().findPromotionCode(code.id)).toEqual(code);
    const euros = { currency_options: { eur: { amount_off: 450 } } };
    expect((await processor().findListed('coupon', coupon.id)).object).toMatchObject(euros);
    expect((await processor().listObjects('coupon')).objects[0]).toMatchObject(euros);
    const limits = { restrictions: { currency_options: { eur: { minimum_amount: 900 } } } };
    expect((await processor().listObjects('promotion_code')).objects[0]).toMatchObject(limits);
  });

  it('is of no customer and no item unless it was given to them', async () => {
    const { id } = await createCustomer();
    expect(await processor().findCustomerDiscount(id, 'usd')).toBeNull();
  });

  paidIt('is given to a subscription for its future invoices, and taken back', async () => {
    const { coupon, code } = await createCode();
    const { subscription } = await subscribe();
    const { id } = subscription;
    const discounted = await processor().setDiscounts(id, [{ promotionCodeId: code.id }], key());
    expect(discounted.discounts).toMatchObject([
      { detail: { couponId: coupon.id, promotionCodeId: code.id, endsAt: null, coupon: { percentOff: 50 } } },
    ]);
    expect((await processor().findSubscription(id)).discounts).toEqual(discounted.discounts);
    const [item] = discounted.items;
    expect(await processor().findItemDiscounts(item?.id ?? '', 'usd')).toEqual([]);
    expect(await processor().previewInvoice(id)).toMatchObject({ subtotal: 5_998, discount: 2_999, total: 2_999 });
    const discountId = discounted.discounts[0]?.id ?? '';
    expect((await processor().setDiscounts(id, [{ discountId }], key())).discounts).toHaveLength(1);
    expect((await processor().setDiscounts(id, [], key())).discounts).toEqual([]);
  });

  paidIt('is taken by a checkout', async () => {
    const { code } = await createCode();
    const { subscription } = await subscribe({ promotionCodeId: code.id });
    expect(subscription.discounts).toMatchObject([{ detail: { promotionCodeId: code.id } }]);
    await processor().updatePromotionCode(code.id, { isActive: false }, key());
    await expect(openCheckout({ promotionCodeId: code.id })).rejects.toBeInstanceOf(ProcessorError);
  });
}
