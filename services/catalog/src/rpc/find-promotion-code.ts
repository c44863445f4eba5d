import type { EntityManager } from '@mikro-orm/postgresql';
import { PromotionCodeId } from '@billing/contracts/ids';
import type { RedemptionRefusal } from '@billing/contracts/resources/discount';
import type { FindPromotionCode } from '@billing/contracts/rpc/calls';
import { missingOrThrow } from '@billing/processor/errors';
import type { PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { z } from 'zod';
import { refusalOfCode, refusalOfCoupon, toCodeKey, toCouponState, toPromotionCodeState } from '#domain/discount.ts';
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
    const refusals = new Map<string, RedemptionRefusal | null>();

    async function findOne({ processorId }: PromotionCode): Promise<PromotionCodeSnapshot[]> {
      const found = await processor.findPromotionCode(processorId ?? '').catch(missingOrThrow);
      return found === 'missing' ? [] : [found];
    }

    const refusalOfCouponAt = async (couponId: string): Promise<RedemptionRefusal | null> => {
      const read = refusals.get(couponId);
      if (read !== undefined) return read;
      const coupon = await processor.findCoupon(couponId).catch(missingOrThrow);
      const found = coupon === 'missing' ? undefined : coupon;
      // Our copy lacks products that the project took later.
      const isForOthers = found?.productIds?.every(it => !wantedProducts.includes(it)) ?? false;
      const refusal =
        refusalOfCoupon(found, now()) ??
        (found?.isValid ? null : 'promotion_code_inactive') ??
        (isForOthers ? 'promotion_code_not_applicable' : null);
      refusals.set(couponId, refusal);
      return refusal;
    };

    const describe = async (row: PromotionCode, code: PromotionCodeSnapshot) => {
      const coupon = coupons.get(row.couponId) ?? null;
      if (!isMirrored(row) || !isMirrored(coupon)) return null;
      const isForOthers =
        (code.customerId !== null && code.customerId !== processorCustomerId) ||
        (coupon.currency !== null && coupon.currency !== currency);
      let refusal = refusalOfCode(code, now());
      // The processor shows a code as inactive when its coupon has ended: that says why.
      if (refusal === 'promotion_code_inactive')
        refusal = endOf(await refusalOfCouponAt(coupon.processorId)) ?? refusal;
      else refusal ??= isForOthers ? 'promotion_code_not_applicable' : await refusalOfCouponAt(coupon.processorId);
      return { promotionCode: toPromotionCodeState(row), coupon: toCouponState(coupon), refusal };
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
