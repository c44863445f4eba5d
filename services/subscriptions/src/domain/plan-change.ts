import { INTERVALS_PER_YEAR, itemRevenue, sumTerms } from '@billing/contracts/item-revenue';
import { Problem, unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type {
  PlanChange as RequestedChange,
  PlanChangeItem,
  PlanChangePreview,
  Proration,
} from '@billing/contracts/resources/plan-change';
import type { Interval } from '@billing/contracts/resources/price';
import type { PlanChange, WantedDiscount } from '@billing/processor/plan-changes';
import type { PriceSnapshot, SubscriptionSnapshot } from '@billing/processor/port';
import type { PhaseSnapshot } from '@billing/processor/snapshots/schedule';
import { changedItems, toChangeItems, toPhaseItems, type WantedItem } from './changed-items.ts';
import { requireSellable } from './purchase.ts';
import { itemTerms, requireRunning } from './subscription.ts';

/** How long the figures of a preview are accepted. */
const PREVIEW_LIFETIME_MS = 15 * 60_000;

/** How far the clocks of the processor's own servers may differ. */
const CLOCK_TOLERANCE_MS = 10_000;

/** How often a subscription is billed: every `count` intervals. */
export interface Cadence {
  readonly interval: Interval;
  readonly count: number;
}

/** A change as it is to be made. */
export interface DecidedChange {
  readonly direction: PlanChangePreview['direction'];
  readonly when: 'now' | 'period_end';
  readonly effectiveAt: Date;
  /** Whether the invoice of the change does not depend on the second in which it is made. */
  readonly exact: boolean;
  /** What the figures count from, in whole seconds; null unless `exact`. */
  readonly prorationDate: Date | null;
  /** Until when these figures are accepted. */
  readonly expiresAt: Date;
  /** The interval that a change at the end of the period begins; null when it goes on with what there is. */
  readonly nextInterval: Cadence | null;
  /** All that the subscription will bill. */
  readonly items: readonly PlanChangeItem[];
  /** The same as a phase of a schedule names them. */
  readonly phaseItems: PhaseSnapshot['items'];
  /** What is sent to the processor, without the payment. */
  readonly change: PlanChange;
}

/** All that decides about a change. */
interface Facts {
  readonly snapshot: SubscriptionSnapshot;
  readonly wanted: readonly WantedItem[];
  /** All discounts that it is to have; undefined when they stay. */
  readonly discounts?: readonly WantedDiscount[] | undefined;
  readonly request: Pick<RequestedChange, 'when' | 'proration' | 'prorationDate' | 'trial'>;
  /** The processor's time; of a subscription on a test clock its frozen time. */
  readonly now: Date;
}

/**
 * Checks that the plan of a subscription can change in the state that it is in. A pause of payments is a pause: the new plan would
 * be given without payment.
 * @throws Problem 422 `subscription_ended`, `subscription_incomplete`, `subscription_paused`, `subscription_past_due`
 */
export function requireChangeable({ status, pauseCollection }: SubscriptionSnapshot): void {
  if (status !== null) requireRunning(status);
  if (status === 'incomplete') {
    throw unprocessable('subscription_incomplete', 'The first payment of the subscription is not made yet.');
  }
  if (status === 'paused' || pauseCollection !== null) {
    throw unprocessable('subscription_paused', 'The subscription is paused; resume it first.');
  }
  if (status === 'past_due' || status === 'unpaid') {
    throw unprocessable(
      'subscription_past_due',
      'An invoice of the subscription is not paid; it has to be paid first.',
    );
  }
}

/**
 * Checks that the items that are wanted are for sale, and can be billed together by the subscription.
 * @throws Problem 422 `price_inactive`, `product_inactive`, `price_type_mismatch`, `currency_mismatch`, `interval_mismatch`
 */
export function requireFitting(wanted: readonly WantedItem[], { currency }: SubscriptionSnapshot): void {
  for (const { offer, price } of wanted) {
    if (offer) requireSellable(offer, 'subscription');
    if (offer && currency !== null && !isSoldIn(price, currency)) {
      const details = { subscription: currency, price: price.currency } satisfies ProblemDetails['currency_mismatch'];
      const message = `The price is in ${price.currency}, and the subscription in ${currency}.`;
      throw unprocessable('currency_mismatch', message, details);
    }
  }
  if (new Set(wanted.map(({ price }) => `${price.intervalCount} ${price.interval}`)).size > 1) {
    throw unprocessable('interval_mismatch', 'All items of a subscription need prices of one interval.');
  }
}

/**
 * Decides how a change is made: when, from which second on, and what is sent to the processor. Specification of plan changes, the
 * table of fields.
 * @throws Problem 422 `no_change`, `subscription_set_to_cancel`; 409 `preview_expired`
 */
export function decideChange({ snapshot, wanted, discounts, request, now }: Facts): DecidedChange {
  const changed = changedItems(snapshot.items, wanted);
  const changesItems = changed.items.length + changed.removedItemIds.length > 0;
  const isTrial = snapshot.status === 'trialing';
  const endsTrial = isTrial && request.trial === 'end';
  if (!changesItems && !discounts && !endsTrial) {
    throw unprocessable('no_change', 'The subscription is already as it is to become.');
  }
  const direction = directionOf(snapshot, wanted);
  const interval = newInterval(snapshot, wanted);
  const begins = interval ?? (isFirstPaid(snapshot, wanted) ? cadenceOf(wanted[0]?.price) : null);
  const whenFalling = direction === 'down' || interval?.isShorter ? 'period_end' : 'now';
  const when = endsTrial ? 'now' : request.when === 'auto' ? whenFalling : request.when;
  if (when === 'period_end' && snapshot.cancelAtPeriodEnd) {
    const message = 'The subscription is set to end: resume it first, or change it now.';
    throw unprocessable('subscription_set_to_cancel', message);
  }
  const beginsPeriod = when === 'now' && !isTrial && begins !== null;
  const proration: Proration = when === 'period_end' || isTrial ? 'none' : (request.proration ?? 'always_invoice');
  const countsFrom = toSecond(request.prorationDate ? requireFresh(request.prorationDate, snapshot, now) : now);
  const prorationDate = within(snapshot, countsFrom);
  const isPinned = changesItems && proration !== 'none' && !beginsPeriod;
  return {
    direction,
    when,
    effectiveAt: when === 'now' ? toSecond(now) : snapshot.currentPeriodEnd,
    exact: !beginsPeriod,
    prorationDate: beginsPeriod ? null : prorationDate,
    expiresAt: new Date((beginsPeriod ? toSecond(now) : countsFrom).getTime() + PREVIEW_LIFETIME_MS),
    nextInterval: when === 'period_end' ? begins : null,
    items: toChangeItems(wanted),
    phaseItems: toPhaseItems(wanted),
    change: {
      ...changed,
      proration,
      ...(isPinned && { prorationDate }),
      ...(beginsPeriod && { resetsAnchor: true }),
      ...(endsTrial && { endsTrial: true }),
      ...(discounts && { discounts }),
    },
  };
}

/** Returns whether the exact monthly amount rises or falls, at face value. What is billed by usage or by tiers has none. */
function directionOf(
  { items, currency }: SubscriptionSnapshot,
  wanted: readonly WantedItem[],
): PlanChangePreview['direction'] {
  const monthly = (all: readonly Pick<WantedItem, 'price' | 'amount' | 'quantity'>[]) =>
    sumTerms(all.flatMap(item => itemRevenue(itemTerms(item, currency)) ?? []));
  const [was, is] = [monthly(items), monthly(wanted)];
  const rise = is.numerator * was.denominator - was.numerator * is.denominator;
  return rise === 0n ? 'same' : rise > 0n ? 'up' : 'down';
}

/** Returns the interval that the items will have, and whether it is a shorter one; null when it stays. */
function newInterval(
  { items: [current] }: SubscriptionSnapshot,
  [first]: readonly WantedItem[],
): (Cadence & { readonly isShorter: boolean }) | null {
  const [was, is] = [cadenceOf(current?.price), cadenceOf(first?.price)];
  if (!was || !is || (was.interval === is.interval && was.count === is.count)) return null;
  const [before, after] = [
    BigInt(was.count) * INTERVALS_PER_YEAR[is.interval],
    BigInt(is.count) * INTERVALS_PER_YEAR[was.interval],
  ];
  return { ...is, isShorter: after < before };
}

/** Whether a subscription that costs nothing is to cost something: the processor then begins a period. */
const isFirstPaid = ({ items }: SubscriptionSnapshot, wanted: readonly WantedItem[]): boolean =>
  items.every(isFree) && !wanted.every(isFree);

const isFree = ({ price, amount }: Pick<WantedItem, 'price' | 'amount'>): boolean =>
  !price.metered && Number(amount?.unitAmountDecimal ?? amount?.unitAmount ?? Number.NaN) === 0;

function cadenceOf(price: PriceSnapshot | undefined): Cadence | null {
  if (!price?.interval) return null;
  return { interval: price.interval, count: price.intervalCount ?? 1 };
}

/**
 * Checks that the date of a preview is neither too old nor outside of the period.
 * @throws Problem 409 `preview_expired`
 */
function requireFresh(date: Date, { currentPeriodStart, currentPeriodEnd }: SubscriptionSnapshot, now: Date): Date {
  const age = now.getTime() - date.getTime();
  const isInPeriod = toSecond(date) >= currentPeriodStart && date <= currentPeriodEnd;
  if (isInPeriod && age <= PREVIEW_LIFETIME_MS && age >= -CLOCK_TOLERANCE_MS) return date;
  const message =
    'The `prorationDate` is older than 15 minutes, or outside of the current period; preview the change again.';
  throw new Problem('conflict', 'preview_expired', message);
}

/** Returns a time, or the end of the current period that is next to it: the processor takes no others. */
function within({ currentPeriodStart, currentPeriodEnd }: SubscriptionSnapshot, time: Date): Date {
  if (time < currentPeriodStart) return currentPeriodStart;
  return time > currentPeriodEnd ? currentPeriodEnd : time;
}

const toSecond = (time: Date): Date => new Date(Math.floor(time.getTime() / 1_000) * 1_000);

/** Returns whether a price has an amount in a currency. */
export const isSoldIn = (price: PriceSnapshot, currency: string): boolean =>
  price.currency === currency || (price.currencyOptions?.has(currency) ?? false);
