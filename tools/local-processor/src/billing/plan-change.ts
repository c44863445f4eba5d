import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import { isFree } from '../objects/price.ts';
import { currentPeriod, hasSameCadence } from '../objects/subscription.ts';
import type { Discount, InvoiceItem, Subscription } from '../objects/stored.ts';
import { rebatesOf } from './discounts.ts';
import { prorationsOf } from './prorations.ts';
import { inPeriod, nextPeriod } from './subscription-periods.ts';

/** How a change is billed. */
export interface ChangeTerms {
  prorationBehavior: 'always_invoice' | 'create_prorations' | 'none';
  /** From when on prorations count, in Unix seconds; null for now. */
  prorationDate: number | null;
  /** Begins a period now. */
  resetsAnchor: boolean;
  endsTrial: boolean;
}

/** What a change of a subscription does; nothing of it is stored. */
export interface ChangePlan {
  /** The subscription once the change applies. */
  after: Subscription;
  /** The prorations, as invoice items that are not stored. */
  items: InvoiceItem[];
  /** The discounts that it redeems; they are not stored. */
  discounts: Discount[];
  /** Whether a new period begins now, which is billed as a whole. */
  isNewPeriod: boolean;
  /** Whether the change makes an invoice now. */
  billsNow: boolean;
}

/**
 * Plans a change from one state of a subscription to another. A new interval, a reset of the anchor, the end of a trial and
 * the step from free to paid begin a new period now, which is billed at once; other changes are prorated, but none in a
 * trial.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/change-price)
 * @throws ApiError 400 when the proration date is outside of the current period
 */
export function planChange(
  unit: UnitOfWork,
  before: Subscription,
  wanted: Subscription,
  terms: ChangeTerms,
  discounts: Discount[] = [],
): ChangePlan {
  const at = terms.prorationDate ?? unit.now;
  const { start, end } = currentPeriod(before);
  if (terms.prorationDate !== null && (at < start || at > end))
    throw invalidRequest(
      'Cannot specify a proration date outside of the current subscription period.',
      'proration_date',
    );
  const isNewPeriod = beginsPeriod(unit, before, wanted, terms);
  const after = isNewPeriod ? begun(wanted, unit.now) : wanted;
  const isProrated = terms.prorationBehavior !== 'none' && before.status !== 'trialing';
  const rebates = rebatesOf(unit, after, unit.now, discounts).filter(
    ({ id }) => terms.prorationBehavior === 'always_invoice' || !isOnce(unit, id, discounts),
  );
  const items = isProrated ? prorationsOf(unit, before, after, { at, isNewPeriod, rebates }) : [];
  return {
    after,
    items,
    discounts,
    isNewPeriod,
    billsNow: isNewPeriod || (terms.prorationBehavior === 'always_invoice' && items.length > 0),
  };
}

/** Returns whether a discount is for one invoice: prorations that wait do not have it, as the next period will. */
function isOnce(unit: UnitOfWork, id: string, fresh: readonly Discount[]): boolean {
  const discount = fresh.find(row => row.id === id) ?? unit.tables.discount.get(id);
  return unit.tables.coupon.get(discount?.source.coupon ?? '')?.duration === 'once';
}

/** Returns whether the change begins a new period now. Within a trial only its end does. */
function beginsPeriod(unit: UnitOfWork, before: Subscription, wanted: Subscription, terms: ChangeTerms): boolean {
  if (before.status === 'trialing') return terms.endsTrial;
  if (terms.resetsAnchor || !hasSameCadence(before, wanted)) return true;
  const isAllFree = ({ items, currency }: Subscription) =>
    items.data.every(({ price }) => isFree(unit, price, currency));
  return isAllFree(before) && !isAllFree(wanted);
}

/** Returns the subscription in a period that begins now. One that ends with its period ends with the new one. */
function begun(wanted: Subscription, now: number): Subscription {
  const period = nextPeriod(wanted, now);
  const end = wanted.cancel_at_period_end ? { cancel_at: period.end } : {};
  return { ...wanted, ...inPeriod(wanted, period, now), ...end };
}
