import { invalidRequest } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { discountAmounts, type Rebate } from '../domain/discounts.ts';
import { amountsDue } from '../objects/checkout-session.ts';
import { customerOrNull } from '../objects/finding.ts';
import { codeProblem, isSameCode, rebateOf } from '../objects/coupon.ts';
import type { CheckoutPlan, CheckoutSession, Discount, LineItem, WantedDiscount } from '../objects/stored.ts';
import { wantedDiscounts } from './discounts.ts';
import { taxationFor, taxedItems } from './tax.ts';

/** A session as far as discounts depend on it. */
interface Sale {
  customer: string | null;
  currency: string | null;
  lines: readonly LineItem[];
}

/**
 * Returns the discounts of a session as they would be redeemed now; they are not stored.
 * @throws ApiError 400 when one can't be redeemed
 */
export function discountsOfSale(unit: UnitOfWork, sale: Sale, wanted: readonly WantedDiscount[]): Discount[] {
  const subtotal = sale.lines.reduce((sum, { amount_subtotal: amount }) => sum + amount, 0);
  const redeemer = { customer: sale.customer, subscription: null, currency: sale.currency ?? '', subtotal, kept: [] };
  return wantedDiscounts(unit, wanted, redeemer).fresh;
}

/** Returns the lines of a session with what discounts take off, and with their tax if the session takes one. */
export function billedItems(
  unit: UnitOfWork,
  { lines, customer, isTaxed }: Sale & { isTaxed: boolean },
  discounts: readonly Discount[],
): LineItem[] {
  const untaxed = discountedItems(unit, lines, discounts);
  return isTaxed ? taxedItems(unit, untaxed, taxationFor(unit, customerOrNull(unit, customer))) : untaxed;
}

function discountedItems(unit: UnitOfWork, lines: readonly LineItem[], discounts: readonly Discount[]) {
  const off = discountAmounts(
    lines.map(({ amount_subtotal: amount, price }) => ({ amount, product: price.product })),
    rebatesIn(unit, discounts, lines[0]?.currency ?? ''),
  );
  return lines.map((line, index) => {
    const amount = (off[index] ?? []).reduce((sum, one) => sum + one.amount, 0);
    return { ...line, amount_discount: amount, amount_total: line.amount_subtotal - amount };
  });
}

/** Returns what discounts take off in a currency. */
export function rebatesIn(unit: UnitOfWork, discounts: readonly Discount[], currency: string): Rebate[] {
  return discounts.flatMap(discount => rebateOf(unit, discount, currency) ?? []);
}

/** Returns the discounts as a session shows them. */
export function shownDiscounts(discounts: readonly Discount[]): CheckoutSession['discounts'] {
  return discounts.map(({ source, promotion_code }) => ({
    coupon: promotion_code === null ? source.coupon : null,
    promotion_code,
  }));
}

/**
 * Enters a promotion code on the page of an open session that allows codes; an earlier one is replaced.
 * @throws ApiError 400 when the code can't be redeemed
 */
export function enterCode(unit: UnitOfWork, session: CheckoutSession, plan: CheckoutPlan, code: string): void {
  const found = unit.tables.promotion_code
    .newestFirst()
    .find(row => isSameCode(row.code, code.trim()) && codeProblem(unit, row) === null);
  if (!found || session.allow_promotion_codes !== true) throw invalidRequest('This code is invalid.');
  const wanted = [{ promotion_code: found.id }];
  const { customer, currency, automatic_tax: tax } = session;
  const sale = { customer, currency, lines: plan.lines, isTaxed: tax.enabled };
  const discounts = discountsOfSale(unit, sale, wanted);
  const lines = billedItems(unit, sale, discounts);
  // An intent of an earlier attempt has another amount.
  unit.update('checkout_plan', plan, { lines, discounts: wanted, paymentIntent: null, lastDecline: null });
  unit.update('checkout.session', session, {
    ...amountsDue(lines, plan.subscription.trialDays !== null),
    discounts: shownDiscounts(discounts),
  });
}
