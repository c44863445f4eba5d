import type { EntityManager } from '@mikro-orm/postgresql';
import { PromotionCodeId } from '@billing/contracts/ids';
import type { RedemptionRefusal } from '@billing/contracts/resources/promotion-code';
import type { FindPromotionCode } from '@billing/contracts/rpc/calls';
import { missingOrThrow } from '@billing/processor/errors';
import type { CouponSnapshot, PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { z } from 'zod';
import {
  couponIn,
  refusalOfCode,
  refusalOfCoupon,
  toCodeKey,
  toCouponState,
  toPromotionCodeState,
} from '#domain/discount.ts';
import { findCoupons } from '#persistence/find-coupons.ts';
import { Product } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';

interface FindDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
}

/**
 * Finds a promotion code of the project and why it cannot be redeemed, as the processor has it. Several codes may have one
 * text: inactive ones, and one for each customer. The first that can be redeemed is returned, else the newest.
 */
export function findPromotionCode({ em, processors, now }: FindDependencies) {
  return async (
    request: z.output<(typeof FindPromotionCode)['request']>,
  ): Promise<z.output<(typeof FindPromotionCode)['reply']>> => {
    const { teamId, projectId, promotionCode: wanted, processorCustomerId, currency, productIds } = request;
    const id = PromotionCodeId.schema.safeParse(wanted).data;
    const named = id === undefined ? { codeKey: toCodeKey(wanted) } : { id };
    const known = { teamId, projectId, processorId: { $ne: null }, deletedAt: null };
    const rows = await em.fork().find(PromotionCode, { ...known, ...named }, { orderBy: { createdAt: 'desc' } });
    const [newest] = rows;
    if (!newest) return null;

    const processor = await processors.of(teamId);
    const codes = id === undefined ? await processor.listPromotionCodes(newest.code) : await findOne(newest);
    const products = await em.fork().find(Product, { teamId, projectId, id: { $in: productIds } });
    const wantedProducts = products.map(({ processorId }) => processorId);
    const coupons = await findCoupons(em.fork(), request, rows);
    const read = new Map<string, CouponSnapshot | undefined>();

    async function findOne({ processorId }: PromotionCode): Promise<PromotionCodeSnapshot[]> {
      const found = await processor.findPromotionCode(processorId ?? '').catch(missingOrThrow);
      return found === 'missing' ? [] : [found];
    }

    const findCouponAt = async (couponId: string): Promise<CouponSnapshot | undefined> => {
      if (read.has(couponId)) return read.get(couponId);
      const found = await processor.findCoupon(couponId).catch(missingOrThrow);
      read.set(couponId, found === 'missing' ? undefined : found);
      return read.get(couponId);
    };

    const refusalOfCouponAt = (found: CouponSnapshot | undefined): RedemptionRefusal | null => {
      // Our copy lacks products that the project took later.
      const isForOthers = found?.productIds?.every(it => !wantedProducts.includes(it)) ?? false;
      return (
        refusalOfCoupon(found, now()) ??
        (found?.isValid ? null : 'promotion_code_inactive') ??
        (isForOthers ? 'promotion_code_not_applicable' : null)
      );
    };

    const describe = async (row: PromotionCode, code: PromotionCodeSnapshot) => {
      const coupon = coupons.get(row.couponId) ?? null;
      if (!isMirrored(row) || !isMirrored(coupon)) return null;
      const found = await findCouponAt(coupon.processorId);
      // It may have got amounts in other currencies since it was recorded.
      const inCurrency = couponIn(currency, coupon, found ?? { currencyOptions: null });
      const isForOthers = (code.customerId !== null && code.customerId !== processorCustomerId) || !inCurrency;
      let refusal = refusalOfCode(code, now());
      // The processor shows a code as inactive when its coupon has ended: that says why.
      if (refusal === 'promotion_code_inactive') refusal = endOf(refusalOfCouponAt(found)) ?? refusal;
      else refusal ??= isForOthers ? 'promotion_code_not_applicable' : refusalOfCouponAt(found);
      return { promotionCode: toPromotionCodeState(row), coupon: toCouponState(inCurrency ?? coupon), refusal };
    };

    let first: Awaited<ReturnType<typeof describe>> = null;
    for (const code of codes) {
      const row = rows.find(({ processorId }) => processorId === code.id);
      const found = row ? await describe(row, code) : null;
      if (found?.refusal === null) return found;
      first ??= found;
    }
    return first;
  };
}

const endOf = (refusal: RedemptionRefusal | null): RedemptionRefusal | null =>
  refusal === 'promotion_code_expired' || refusal === 'promotion_code_exhausted' ? refusal : null;
