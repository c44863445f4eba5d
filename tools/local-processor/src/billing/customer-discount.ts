import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newDiscount } from '../objects/coupon.ts';
import { existing } from '../objects/finding.ts';
import type { Customer, Discount } from '../objects/stored.ts';
import { discountOfCustomer, storeDiscounts } from './discounts.ts';

/** Gives a customer the discount of a coupon in place of any other, and emits the events; null removes it. */
export function discountCustomer(unit: UnitOfWork, customer: Customer, couponId: string | null): Discount | null {
  const before = discountOfCustomer(unit, customer.id);
  if (before) unit.emit('customer.discount.deleted', { ...before, end: unit.now });
  const given = { promotionCode: null, customer: customer.id, subscription: null };
  const discount =
    couponId === null ? null : newDiscount(unit, { ...given, coupon: existing(unit, 'coupon', couponId, 'coupon') });
  if (discount) storeDiscounts(unit, [discount]);
  unit.update('customer', customer, { discount });
  return discount;
}
