import { invalidRequest, noSuch } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { discountAmounts, type Rebate } from '../domain/discounts.ts';
import type { BilledLine } from '../objects/invoice-line.ts';
import { amountOffIn, codeProblem, couponProblem, newDiscount, rebateOf } from '../objects/coupon.ts';
import type {
  Coupon,
  Discount,
  Invoice,
  PromotionCode,
  Subscription,
  SubscriptionItem,
  WantedDiscount,
} from '../objects/stored.ts';
import { subtotalOf } from '../objects/price.ts';

/** What discounts are redeemed for. */
export interface Sale {
  currency: string;
  /** In the currency's smallest unit; for a minimum amount. */
  subtotal: number;
}

interface Redeemer extends Sale {
  customer: string | null;
  subscription: string | null;
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
      throw invalidRequest('You must specify exactly one of `coupon`, `discount` and `promotion_code`.', param);
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

/** Returns the discount of a customer as such, of which all subscriptions without their own have it. */
export function discountOfCustomer(unit: UnitOfWork, customerId: string): Discount | null {
  const customer = unit.tables.customer.get(customerId);
  const id = customer && !customer.deleted ? customer.discount?.id : undefined;
  return (id !== undefined && unit.tables.discount.get(id)) || null;
}

/** Returns the ids of the discounts of a subscription and of its items. */
export const discountsOf = ({ discounts, items }: Pick<Subscription, 'discounts' | 'items'>): string[] => [
  ...items.data.flatMap(item => item.discounts),
  ...discounts,
];

/** Returns the discounts that a request names for an item of a subscription as it is to become. */
export function discountsForItem(
  unit: UnitOfWork,
  subscription: Pick<Subscription, 'id' | 'customer' | 'currency'>,
  item: SubscriptionItem,
  wanted: readonly WantedDiscount[],
): { ids: string[]; fresh: Discount[] } {
  const { id, customer, currency } = subscription;
  const redeemer = {
    customer,
    subscription: id,
    currency,
    subtotal: subtotalOf(unit, [item], currency),
    kept: item.discounts,
  };
  const { ids, fresh } = wantedDiscounts(unit, wanted, redeemer, 'items[discounts]');
  return { ids, fresh: fresh.map(discount => ({ ...discount, subscription_item: item.id })) };
}

/** Returns the discounts that a request names for a subscription as it is to become. */
export function discountsFor(
  unit: UnitOfWork,
  { id, customer, currency, items, discounts: kept }: Subscription,
  wanted: readonly WantedDiscount[],
) {
  const subtotal = subtotalOf(unit, items.data, currency);
  // It may take over that of its customer.
  const ofCustomer = discountOfCustomer(unit, customer);
  const named = ofCustomer ? [...kept, ofCustomer.id] : kept;
  return wantedDiscounts(unit, wanted, { customer, subscription: id, currency, subtotal, kept: named });
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
  if (problem !== null) throw invalidRequest(problem, param, 'coupon_expired');
  if (coupon.amount_off !== null && amountOffIn(unit, coupon, currency) === null)
    throw invalidRequest(
      `The coupon ${coupon.id} is in ${coupon.currency}, and can't be redeemed in ${currency}.`,
      param,
    );
}

function refuseCode(unit: UnitOfWork, code: PromotionCode, redeemer: Redeemer, param: string): void {
  const { customer } = redeemer;
  const { first_time_transaction: isFirst } = code.restrictions;
  const hasPaid =
    customer !== null && unit.tables.invoice.withField('customer', customer).some(row => row.amount_paid > 0);
  const problem =
    codeProblem(unit, code) ??
    (code.customer !== null && code.customer !== customer
      ? 'This promotion code cannot be redeemed by this customer.'
      : isFirst && hasPaid
        ? 'This promotion code cannot be redeemed because the associated customer has prior transactions.'
        : null);
  if (problem !== null) throw invalidRequest(problem, param);
  refuseLess(unit, code, redeemer, param);
}

/** @throws ApiError 400 when a promotion code is for a larger amount */
export function refuseLess(
  unit: UnitOfWork,
  { id, restrictions }: PromotionCode,
  { currency, subtotal }: Sale,
  param: string,
): void {
  const least = unit.tables.code_detail.get(id)?.currencyOptions[currency]?.minimum_amount ?? Infinity;
  if (restrictions.minimum_amount !== null && subtotal < least)
    throw invalidRequest('This promotion code cannot be redeemed because the minimum amount is not met.', param);
}

/** Stores discounts that were redeemed, and emits their events; that of an invoice has none. */
export function storeDiscounts(unit: UnitOfWork, discounts: readonly Discount[]): void {
  for (const discount of discounts) {
    countRedemption(unit, discount);
    unit.create('discount', discount, discount.invoice === null ? 'customer.discount.created' : undefined);
  }
}

/** Counts a redemption, and emits the events of the coupon and of its code. */
function countRedemption(unit: UnitOfWork, { source, promotion_code: codeId }: Discount): void {
  const coupon = unit.tables.coupon.get(source.coupon);
  if (coupon) unit.update('coupon', coupon, { times_redeemed: coupon.times_redeemed + 1 });
  const code = unit.tables.promotion_code.get(codeId ?? '');
  if (code) unit.update('promotion_code', code, { times_redeemed: code.times_redeemed + 1 });
}

/** Emits the events of discounts that a subscription had and does not keep. */
export function removeDiscounts(unit: UnitOfWork, before: readonly string[], kept: readonly string[]): void {
  for (const id of before) {
    const discount = unit.tables.discount.get(id);
    const isOfCustomer = discount?.subscription === null;
    if (discount && !isOfCustomer && !kept.includes(id))
      unit.emit('customer.discount.deleted', { ...discount, end: unit.now });
  }
}

/** Returns what the discounts of items, of a subscription, or else of its customer take off at a time; `fresh` are those that are not stored. */
export function rebatesOf(
  unit: UnitOfWork,
  subscription: Subscription,
  at: number,
  fresh: readonly Discount[] = [],
): Rebate[] {
  const { customer, discounts, currency } = subscription;
  const ofCustomer = discounts.length === 0 ? discountOfCustomer(unit, customer) : null;
  const ids = [...discountsOf(subscription), ...(ofCustomer ? [ofCustomer.id] : [])];
  return rebatesBy(unit, ids, { currency, at, fresh });
}

/** Returns what the discounts with these ids take off at a time; `fresh` are those that are not stored. */
export function rebatesBy(
  unit: UnitOfWork,
  ids: readonly string[],
  { currency, at, fresh = [] }: { currency: string; at: number; fresh?: readonly Discount[] },
): Rebate[] {
  return ids.flatMap(id => {
    const discount = fresh.find(row => row.id === id) ?? unit.tables.discount.get(id);
    if (!discount || (discount.end !== null && discount.end <= at)) return [];
    return rebateOf(unit, discount, currency) ?? [];
  });
}

/** Returns the lines with what discounts take off; prorations contain that already, and no discount makes a credit larger. */
export function discounted(lines: readonly BilledLine[], rebates: readonly Rebate[]): BilledLine[] {
  const plain = lines.filter(({ source }) => source?.discountable ?? true);
  const amounts = discountAmounts(
    plain.map(({ amount, price, item }) => ({ amount, product: price.product, item })),
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
  const spent = discountsOf(subscription).filter(id => {
    const discount = unit.tables.discount.get(id);
    if (!discount) return false;
    const isOnce = unit.tables.coupon.get(discount.source.coupon)?.duration === 'once';
    return (isOnce && used.has(id)) || (discount.end !== null && discount.end <= unit.now);
  });
  if (spent.length === 0) return subscription;
  const left = (ids: readonly string[]) => ids.filter(id => !spent.includes(id));
  const data = subscription.items.data.map(item => ({ ...item, discounts: left(item.discounts) }));
  removeDiscounts(unit, spent, []);
  const changes = { discounts: left(subscription.discounts), items: { ...subscription.items, data } };
  return unit.update('subscription', subscription, changes);
}

function usedBy(unit: UnitOfWork, { discount_amounts: amounts, parent }: Invoice['lines']['data'][number]): string[] {
  const item = unit.tables.invoiceitem.get(parent?.subscription_item_details?.invoice_item ?? '');
  return [...amounts, ...(item?.proration_details?.discount_amounts ?? [])].map(({ discount }) => discount);
}
