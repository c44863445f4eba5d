import type { ProductId, PromotionCodeId } from '@billing/contracts/ids';
import { changePromotionCode } from '#operations/change-promotion-code.ts';
import { createCoupon } from '#operations/create-coupon.ts';
import { createPromotionCode } from '#operations/create-promotion-code.ts';
import { COUPON, PRODUCT, PROMOTION_CODE } from '#operations/record-types.ts';
import { updateCoupon } from '#operations/update-record.ts';
import { findByKey } from '#persistence/find-by-key.ts';
import type { Dependencies } from '../../dependencies.ts';
import { changeRecord, entryOf, type WriteOf, type Writing } from './writing.ts';

/** The writes of coupons and promotion codes. */
export function discountWrites(dependencies: Dependencies) {
  const { em } = dependencies;
  const [create, createCode] = [createCoupon(dependencies), createPromotionCode(dependencies)];
  const changeCoupon = changeRecord(em, COUPON, updateCoupon(dependencies));
  const changeCode = changePromotionCode(dependencies);

  async function switchCode(writing: Writing, id: PromotionCodeId, isActive: boolean): Promise<string> {
    const code = await PROMOTION_CODE.rows.find(em.fork(), writing.scope, id);
    if (code.isActive !== isActive) await changeCode(writing.scope, id, { isActive }, entryOf(writing, 'switch'));
    return id;
  }

  return {
    async create(writing: Writing, wanted: WriteOf<'create-coupon'>): Promise<string> {
      const { write: _write, productKeys, redeemBy, ...terms } = wanted;
      const productIds: ProductId[] = [];
      for (const key of productKeys ?? [])
        productIds.push((await findByKey(em.fork(), PRODUCT, writing.scope, key)).id);
      const body = {
        ...terms,
        percentOff: terms.percentOff ?? undefined,
        amountOff: terms.amountOff ?? undefined,
        currency: terms.currency ?? undefined,
        currencyOptions: givenAmounts(terms.currencyOptions),
        durationInMonths: terms.durationInMonths ?? undefined,
        productIds: productKeys ? productIds : undefined,
        maxRedemptions: terms.maxRedemptions ?? undefined,
        redeemBy: toDate(redeemBy),
      };
      return (await create(writing.scope, body, entryOf(writing, 'create'), writing.operationKey)).id;
    },

    setKey: (writing: Writing, { couponId: id, key }: WriteOf<'set-coupon-key'>): Promise<string> =>
      changeCoupon(writing, { id, changes: { key }, part: 'change' }),

    async createCode(writing: Writing, wanted: WriteOf<'create-code'>): Promise<string> {
      const { write: _write, couponKey, isActive, expiresAt, ...terms } = wanted;
      const { id: couponId } = await findByKey(em.fork(), COUPON, writing.scope, couponKey);
      const body = {
        ...terms,
        couponId,
        customerId: undefined,
        maxRedemptions: terms.maxRedemptions ?? undefined,
        expiresAt: toDate(expiresAt),
        minimumAmount: terms.minimumAmount ?? undefined,
        currency: terms.currency ?? undefined,
        currencyOptions: givenAmounts(terms.currencyOptions),
      };
      const { id } = await createCode(writing.scope, body, entryOf(writing, 'create'), writing.operationKey);
      return isActive ? id : switchCode(writing, id, false);
    },

    updateCode: (writing: Writing, { promotionCodeId, isActive }: WriteOf<'update-code'>): Promise<string> =>
      switchCode(writing, promotionCodeId, isActive),
  };
}

const toDate = (time: string | null): Date | undefined => (time === null ? undefined : new Date(time));

/** Without any, the field is left out. */
const givenAmounts = (amounts: Readonly<Record<string, number>>): Record<string, number> | undefined =>
  Object.keys(amounts).length > 0 ? { ...amounts } : undefined;
