import { newPromotionCode } from '../billing-records.ts';
import { newMonthlyPrice, newSubscription } from '../tenant.ts';
import { byKey, is, type Prepared, type PrepareWrite } from './write.ts';

const pathOf = async ({ tenant, resources }: Prepared) => {
  const { id } = await newSubscription(tenant, resources.priceId);
  return { id, path: `${tenant.P}/subscriptions/${id}` };
};

/** How each write about plans and discounts is made once. */
export const PLAN_WRITES: Readonly<Record<string, PrepareWrite>> = {
  changePlan: async prepared => {
    const { id, path } = await pathOf(prepared);
    return byKey(() => prepared.tenant.api.post(`${path}/change`, { quantity: 3 }), is('subscription', id));
  },
  dropPlanChange: async prepared => {
    const { id, path } = await pathOf(prepared);
    await prepared.tenant.billing.subscriptions.change(id, { quantity: 3, when: 'period_end' });
    return byKey(() => prepared.tenant.api.delete(`${path}/change`), is('subscription', id));
  },
  changePortalPlan: async ({ tenant, visitor, resources: { token, subscriptionId: id } }) => {
    await tenant.billing.portalConfig.set({ quantity: { enabled: true, max: 9 } });
    const path = `/api/portal/${token}/subscriptions/${id}/change`;
    return { by: 'customer', send: () => visitor.post(path, { quantity: 4 }), target: is('subscription', id) };
  },
  dropPortalPlanChange: async ({ tenant, visitor, resources: { token, subscriptionId: id } }) => {
    await tenant.billing.subscriptions.change(id, { quantity: 3, when: 'period_end' });
    const path = `/api/portal/${token}/subscriptions/${id}/change`;
    return { by: 'customer', send: () => visitor.delete(path), target: is('subscription', id) };
  },
  createPriceMigration: async ({ tenant, resources: { priceId } }) => {
    const { priceId: toPriceId } = await newMonthlyPrice(tenant);
    return byKey(
      () => tenant.api.post(`${tenant.P}/price-migrations`, { fromPriceId: priceId, toPriceId, mode: 'report' }),
      body => ({ type: 'price_migration', id: body.priceMigration.id }),
    );
  },
  cancelPriceMigration: ({ tenant: { api, P }, resources: { priceMigrationId: id } }) =>
    byKey(() => api.post(`${P}/price-migrations/${id}/cancel`), is('price_migration', id)),
  setSubscriptionDiscount: async prepared => {
    const { id, path } = await pathOf(prepared);
    const { code: promotionCode } = await newPromotionCode(prepared.tenant);
    return byKey(() => prepared.tenant.api.put(`${path}/discount`, { promotionCode }), is('subscription', id));
  },
  createCoupon: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/coupons`, { name: 'Spring', percentOff: 20, duration: 'once' }),
      body => ({ type: 'coupon', id: body.coupon.id }),
    ),
  createPromotionCode: async ({ tenant }) => {
    const { couponId } = await newPromotionCode(tenant);
    return byKey(
      () => tenant.api.post(`${tenant.P}/promotion-codes`, { couponId }),
      body => ({ type: 'promotion_code', id: body.promotionCode.id }),
    );
  },
  updatePromotionCode: async ({ tenant }) => {
    const { id } = await newPromotionCode(tenant);
    const path = `${tenant.P}/promotion-codes/${id}`;
    return byKey(() => tenant.api.patch(path, { isActive: false }), is('promotion_code', id));
  },
  updateCoupon: async ({ tenant: { api, P, billing } }) => {
    const { id } = await billing.coupons.create({ name: 'Spring', percentOff: 20, duration: 'once' });
    return byKey(() => api.patch(`${P}/coupons/${id}`, { key: 'spring' }), is('coupon', id));
  },
  deleteCoupon: async ({ tenant }) => {
    const { couponId } = await newPromotionCode(tenant);
    return byKey(() => tenant.api.delete(`${tenant.P}/coupons/${couponId}`), is('coupon', couponId));
  },
};
