import { discountOperations as operations } from '@billing/contracts/operations/discounts';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { toCodeKey } from '#domain/discount.ts';
import { changePromotionCode } from '#operations/change-promotion-code.ts';
import { createCoupon } from '#operations/create-coupon.ts';
import { createPromotionCode } from '#operations/create-promotion-code.ts';
import { deleteCoupon } from '#operations/delete-record.ts';
import { COUPON, PROMOTION_CODE } from '#operations/record-types.ts';
import { updateCoupon } from '#operations/update-record.ts';
import { toCoupon } from '#persistence/coupon.entity.ts';
import { findCoupons } from '#persistence/find-coupons.ts';
import { toPromotionCode, type PromotionCode } from '#persistence/promotion-code.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of coupons and promotion codes. */
export function discountRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em, now } = dependencies;
  const [create, update] = [createCoupon(dependencies), updateCoupon(dependencies)];
  const remove = deleteCoupon(dependencies);
  const [createCode, changeCode] = [createPromotionCode(dependencies), changePromotionCode(dependencies)];

  const showCode = async (scope: ProjectScope, code: Mirrored<PromotionCode>) => {
    const coupons = await findCoupons(em.fork(), scope, [code]);
    return { promotionCode: toPromotionCode(code, coupons.get(code.couponId), now()) };
  };

  return app => {
    serve(app, operations.createCoupon, async ({ params, body, audit, operationKey }) => ({
      coupon: toCoupon(await create(params, body, audit, operationKey), now()),
    }));
    serve(app, operations.listCoupons, async ({ params, query }) => {
      const [coupons, pagination] = await COUPON.rows.list(em.fork(), params, query, { key: query.key });
      return { coupons: coupons.map(coupon => toCoupon(coupon, now())), pagination };
    });
    serve(app, operations.getCoupon, async ({ params: { couponId, ...scope } }) => ({
      coupon: toCoupon(await COUPON.rows.find(em.fork(), scope, couponId), now()),
    }));
    serve(app, operations.updateCoupon, async ({ params: { couponId, ...scope }, body, audit }) => ({
      coupon: toCoupon(await update(scope, couponId, body, audit), now()),
    }));
    serve(app, operations.deleteCoupon, async ({ params: { couponId, ...scope }, audit }) => {
      await remove(scope, couponId, audit);
      return { success: true };
    });

    serve(app, operations.createPromotionCode, async ({ params, body, audit, operationKey }) =>
      showCode(params, await createCode(params, body, audit, operationKey)),
    );
    serve(app, operations.listPromotionCodes, async ({ params, query: { code, couponId, ...page } }) => {
      const wanted = { ...(couponId && { couponId }), ...(code !== undefined && { codeKey: toCodeKey(code) }) };
      const [codes, pagination] = await PROMOTION_CODE.rows.list(em.fork(), params, page, wanted);
      const coupons = await findCoupons(em.fork(), params, codes);
      const promotionCodes = codes.map(row => toPromotionCode(row, coupons.get(row.couponId), now()));
      return { promotionCodes, pagination };
    });
    serve(app, operations.getPromotionCode, async ({ params: { promotionCodeId, ...scope } }) =>
      showCode(scope, await PROMOTION_CODE.rows.find(em.fork(), scope, promotionCodeId)),
    );
    serve(app, operations.updatePromotionCode, async ({ params: { promotionCodeId, ...scope }, body, audit }) =>
      showCode(scope, await changeCode(scope, promotionCodeId, body, audit)),
    );
  };
}
