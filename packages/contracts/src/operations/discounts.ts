import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { CouponId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { wantedCatalogKey } from '../resources/catalog-key.ts';
import { coupon, couponCreate, couponUpdate } from '../resources/discount.ts';
import { promotionCode, promotionCodeCreate, promotionCodeUpdate } from '../resources/promotion-code.ts';
import { text } from '../text.ts';

const read = projectAccess('products:read');
const write = projectAccess('products:write');
const COUPON = `${PROJECT_PATH}/coupons/:couponId` as const;
const PROMOTION_CODE = `${PROJECT_PATH}/promotion-codes/:promotionCodeId` as const;
const PROCESSOR_PROBLEMS = ['processor_not_connected', 'processor_error'] as const;

export const discountOperations = declareOperations('catalog', {
  createCoupon: {
    route: `POST ${PROJECT_PATH}/coupons`,
    access: write,
    summary: 'Create a coupon',
    body: couponCreate,
    status: 201,
    response: z.object({ coupon }),
    problems: ['quota_exceeded', 'catalog_key_taken', 'product_not_found', ...PROCESSOR_PROBLEMS],
  },
  listCoupons: {
    route: `GET ${PROJECT_PATH}/coupons`,
    access: read,
    summary: 'List coupons, newest first',
    query: z.strictObject({ ...pageQuery, key: wantedCatalogKey }),
    response: z.object({ coupons: z.array(coupon), pagination }),
  },
  getCoupon: {
    route: `GET ${COUPON}`,
    access: read,
    summary: 'Get a coupon',
    response: z.object({ coupon }),
    problems: ['coupon_not_found'],
  },
  updateCoupon: {
    route: `PATCH ${COUPON}`,
    access: write,
    summary: 'Give a coupon its key',
    body: couponUpdate,
    response: z.object({ coupon }),
    problems: ['coupon_not_found', 'catalog_key_set', 'catalog_key_taken', ...PROCESSOR_PROBLEMS],
  },
  deleteCoupon: {
    route: `DELETE ${COUPON}`,
    access: write,
    summary: 'Delete a coupon; nobody can redeem it any more, and subscriptions that have it keep it',
    response: success,
    problems: ['coupon_not_found', ...PROCESSOR_PROBLEMS],
  },
  createPromotionCode: {
    route: `POST ${PROJECT_PATH}/promotion-codes`,
    access: write,
    summary: 'Create a promotion code for a coupon',
    body: promotionCodeCreate,
    status: 201,
    response: z.object({ promotionCode }),
    problems: [
      'quota_exceeded',
      'coupon_not_found',
      'customer_not_found',
      'coupon_not_valid',
      'promotion_code_taken',
      ...PROCESSOR_PROBLEMS,
    ],
  },
  listPromotionCodes: {
    route: `GET ${PROJECT_PATH}/promotion-codes`,
    access: read,
    summary: 'List promotion codes, newest first',
    query: z.strictObject({
      ...pageQuery,
      code: text(500).optional().describe('Only codes with this text, in any case.'),
      couponId: CouponId.schema.optional().describe('Only codes of this coupon.'),
    }),
    response: z.object({ promotionCodes: z.array(promotionCode), pagination }),
    example: { query: { code: 'spring20' } },
  },
  getPromotionCode: {
    route: `GET ${PROMOTION_CODE}`,
    access: read,
    summary: 'Get a promotion code',
    response: z.object({ promotionCode }),
    problems: ['promotion_code_not_found'],
  },
  updatePromotionCode: {
    route: `PATCH ${PROMOTION_CODE}`,
    access: write,
    summary: 'Activate or deactivate a promotion code',
    body: promotionCodeUpdate,
    response: z.object({ promotionCode }),
    problems: [
      'promotion_code_not_found',
      'coupon_not_valid',
      'promotion_code_expired',
      'promotion_code_exhausted',
      'promotion_code_taken',
      ...PROCESSOR_PROBLEMS,
    ],
  },
});
