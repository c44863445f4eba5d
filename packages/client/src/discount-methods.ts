import type { CallOptions, WriteOptions } from './options.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** The methods of `billing.coupons`. */
export const couponMethods = (requests: Requests) => ({
  /** Creates a coupon here and at the processor. What it takes off can't be changed; create another one instead. */
  create: async (body: wire.CouponCreate, options?: WriteOptions): Promise<wire.Coupon> =>
    (await requests.post<{ coupon: wire.Coupon }>('/coupons', body, options)).coupon,
  list: (filters?: wire.CouponFilters, options?: CallOptions) =>
    requests.list<wire.Coupon>('/coupons', 'coupons', filters, options),
  get: async (id: string, options?: CallOptions): Promise<wire.Coupon> =>
    (await requests.get<{ coupon: wire.Coupon }>(`/coupons/${segment(id)}`, undefined, options)).coupon,
  /** Deletes a coupon: nobody can redeem it or its promotion codes any more. Subscriptions that have it keep it. */
  delete: (id: string, options?: CallOptions) => requests.delete(`/coupons/${segment(id)}`, options),
});

/** The methods of `billing.promotionCodes`. */
export const promotionCodeMethods = (requests: Requests) => ({
  /** Creates a code with which customers redeem a coupon; the processor chooses its text unless `code` is given. */
  create: async (body: wire.PromotionCodeCreate, options?: WriteOptions): Promise<wire.PromotionCode> =>
    (await requests.post<{ promotionCode: wire.PromotionCode }>('/promotion-codes', body, options)).promotionCode,
  /** Lists promotion codes; with `code` those that have this text, in any case. */
  list: (filters?: wire.PromotionCodeFilters, options?: CallOptions) =>
    requests.list<wire.PromotionCode>('/promotion-codes', 'promotionCodes', filters, options),
  get: async (id: string, options?: CallOptions): Promise<wire.PromotionCode> =>
    (await requests.get<{ promotionCode: wire.PromotionCode }>(codePath(id), undefined, options)).promotionCode,
  /** Activates or deactivates a code. */
  update: async (id: string, body: wire.PromotionCodeUpdate, options?: CallOptions): Promise<wire.PromotionCode> =>
    (await requests.patch<{ promotionCode: wire.PromotionCode }>(codePath(id), body, options)).promotionCode,
});

const codePath = (id: string): string => `/promotion-codes/${segment(id)}`;
