import { invalidRequest, noSuch } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { discountAmounts, type Rebate } from '../domain/discounts.ts';
import type { BilledLine } from '../objects/invoice.ts';
import { codeProblem, couponProblem, newDiscount, rebateOf } from '../objects/coupon.ts';
import type { WantedDiscount } from '../objects/checkout-plan.ts';
import { subtotalOf } from '../objects/price.ts';
import type { Coupon, Discount, Invoice, PromotionCode, Subscription } from '../objects/stored.ts';

interface Redeemer {
  customer: string | null;
  subscription: string | null;
  currency: string;
  /** What it is redeemed for, in the currency's smallest unit; for a minimum amount. */
  subtotal: number;
  /** The discounts that it has. */
  kept: readonly string[];
}

/**
 * Returns the ids of the discounts that a request names, and those that are new; they are not stored.
 * @throws ApiError 400 when one does not exist or can't be redeemed
 */
export function wantedDiscounts(
  unit: UnitOfWork,
  wanted: readonly WantedDiscount[],
  redeemer: Redeemer,
  path = 'discounts',
): { ids: string[]; fresh: Discount[] } {
  const named = wanted.map((one, index) => {
    const param = `${path}[${index}]`;
    if (Object.values(one).filter(value => value !== undefined).length !== 1)
      throw invalidRequest('You must specify exactly one of `coupon`, `discount` and `promotion_code`.', { param });
    if (one.discount !== undefined) {
      if (!redeemer.kept.includes(one.discount)) throw noSuch('discount', one.discount, `${param}[discount]`);
      return one.discount;
    }
    return redeemed(unit, one, redeemer, param);
  });
  return {
    ids: named.map(one => (typeof one === 'string' ? one : one.id)),
    fresh: named.filter(one => typeof one !== 'string'),
  };
}

/** Returns the discounts that a request names for a subscription as it is to become. */
export function discountsFor(
  unit: UnitOfWork,
  { id, customer, currency, items, discounts: kept }: Subscription,
  wanted: readonly WantedDiscount[],
) {
  const subtotal = subtotalOf(unit, items.data, currency);
  return wantedDiscounts(unit, wanted, { customer, subscription: id, currency, subtotal, kept });
}

function redeemed(unit: UnitOfWork, one: WantedDiscount, redeemer: Redeemer, param: string): Discount {
  const { customer, subscription } = redeemer;
  const promotion = one.promotion_code === undefined ? null : unit.tables.promotion_code.get(one.promotion_code);
  if (promotion === undefined) throw noSuch('promotion code', String(one.promotion_code), `${param}[promotion_code]`);
  const id = promotion?.promotion.coupon ?? one.coupon ?? '';
  const coupon = unit.tables.coupon.get(id);
  if (!coupon || unit.tables.removed_coupon.get(id)) throw noSuch('coupon', id, `${param}[coupon]`);
  if (promotion) refuseCode(unit, promotion, redeemer, `${param}[promotion_code]`);
  refuseCoupon(unit, coupon, redeemer.currency, param);
  return newDiscount(unit, { coupon, promotionCode: promotion?.id ?? null, customer, subscription });
}

function refuseCoupon(unit: UnitOfWork, coupon: Coupon, currency: string, param: string): void {
  const problem = couponProblem(unit, coupon);
  if (problem !== null) throw invalidRequest(problem, { code: 'coupon_expired', param });
  if (coupon.currency !== null && coupon.currency !== currency)
    throw invalidRequest(`The coupon ${coupon.id} is in ${coupon.currency}, and can't be redeemed in ${currency}.`, {
      param,
    });
}

function refuseCode(unit: UnitOfWork, code: PromotionCode, redeemer: Redeemer, param: string): void {
  const { customer, currency, subtotal } = redeemer;
  const { first_time_transaction: isFirst, minimum_amount: least, minimum_amount_currency: of } = code.restrictions;
  const hasPaid =
    customer !== null && unit.tables.invoice.withField('customer', customer).some(row => row.amount_paid > 0);
  const problem =
    codeProblem(unit, code) ??
    (code.customer !== null && code.customer !== customer
      ? 'This promotion code cannot be redeemed by this customer.'
      : isFirst && hasPaid
        ? 'This promotion code cannot be redeemed because the associated customer has prior transactions.'
        : least !== null && (of !== currency || subtotal < least)
          ? 'This promotion code cannot be redeemed because the minimum amount is not met.'
          : null);
  if (problem !== null) throw invalidRequest(problem, { param });
}

/** Stores discounts that were redeemed, and emits their events. */
export function storeDiscounts(unit: UnitOfWork, discounts: readonly Discount[]): void {
  for (const discount of discounts) {
    unit.create('discount', discount);
    countRedemption(unit, discount);
    unit.emit('customer.discount.created', discount);
  }
}

/** Counts a redemption, and emits the events of the coupon and of its code. */
function countRedemption(unit: UnitOfWork, { source, promotion_code: codeId }: Discount): void {
  const coupon = unit.tables.coupon.get(source.coupon);
  if (coupon) unit.update('coupon', coupon, { times_redeemed: coupon.times_redeemed + 1 }, 'coupon.updated');
  const code = unit.tables.promotion_code.get(codeId ?? '');
  if (code) unit.update('promotion_code', code, { times_redeemed: code.times_redeemed + 1 }, 'promotion_code.updated');
}

/** Emits the events of discounts that a subscription had and does not keep. */
export function removeDiscounts(unit: UnitOfWork, before: readonly string[], kept: readonly string[]): void {
  for (const id of before) {
    const discount = unit.tables.discount.get(id);
    if (discount && !kept.includes(id)) unit.emit('customer.discount.deleted', { ...discount, end: unit.now });
  }
}

/** Returns what the discounts of a subscription take off at a time; `fresh` are those that are not stored. */
export function rebatesOf(
  unit: UnitOfWork,
  { discounts, currency }: Subscription,
  at: number,
  fresh: readonly Discount[] = [],
): Rebate[] {
  return discounts.flatMap(id => {
    const discount = fresh.find(row => row.id === id) ?? unit.tables.discount.get(id);
    if (!discount || (discount.end !== null && discount.end <= at)) return [];
    return rebateOf(unit, discount, currency) ?? [];
  });
}

/** Returns the lines with what discounts take off; prorations contain that already. */
export function discounted(lines: readonly BilledLine[], rebates: readonly Rebate[]): BilledLine[] {
  const plain = lines.filter(({ proration }) => proration === null);
  const amounts = discountAmounts(
    plain.map(({ amount, price }) => ({ amount, product: price.product })),
    rebates,
  );
  const byLine = new Map(plain.map((line, index) => [line, amounts[index] ?? []]));
  return lines.map(line => ({ ...line, discounts: byLine.get(line) ?? [] }));
}

/**
 * Takes the discounts from a subscription that an invoice has used up, and those whose time is over. Returns the
 * subscription.
 */
export function dropSpentDiscounts(unit: UnitOfWork, subscription: Subscription, invoice: Invoice): Subscription {
  const used = new Set(invoice.lines.data.flatMap(line => usedBy(unit, line)));
  const spent = subscription.discounts.filter(id => {
    const discount = unit.tables.discount.get(id);
    if (!discount) return false;
    const isOnce = unit.tables.coupon.get(discount.source.coupon)?.duration === 'once';
    return (isOnce && used.has(id)) || (discount.end !== null && discount.end <= unit.now);
  });
  if (spent.length === 0) return subscription;
  const discounts = subscription.discounts.filter(id => !spent.includes(id));
  removeDiscounts(unit, spent, discounts);
  return unit.update('subscription', subscription, { discounts }, 'customer.subscription.updated');
}

function usedBy(unit: UnitOfWork, { discount_amounts: amounts, parent }: Invoice['lines']['data'][number]): string[] {
  const item = unit.tables.invoiceitem.get(parent?.subscription_item_details?.invoice_item ?? '');
  return [...amounts, ...(item?.proration_details.discount_amounts ?? [])].map(({ discount }) => discount);
}
