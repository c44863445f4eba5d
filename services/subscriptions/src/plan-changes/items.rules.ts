import type { PriceId } from '@billing/contracts/ids';
import { INTERVALS_PER_YEAR, itemRevenue, sumTerms } from '@billing/contracts/item-revenue';
import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type {
  PlanChange as RequestedChange,
  PlanChangeItem,
  PlanChangePreview,
} from '@billing/contracts/resources/plan-change';
import type { Interval } from '@billing/contracts/resources/price';
import type { PlanChange } from '@billing/processor/plan-changes';
import type { PriceSnapshot, SubscriptionSnapshot } from '@billing/processor/port';
import type { PriceAmount } from '@billing/processor/snapshots/catalog';
import type { PhaseSnapshot } from '@billing/processor/snapshots/schedule';
import type { SubscriptionItemSnapshot } from '@billing/processor/snapshots/subscription';
import { requireSellable, type Offer } from '#checkout/purchase.rules';
import { itemTerms } from '#record/subscription.rules';

/** An item that a caller wants: of a price of the catalog, or of the item that there is. */
export type RequestedItem = { readonly quantity: number } & (
  | { readonly priceId: PriceId }
  | { readonly item: SubscriptionItemSnapshot }
);

/** An item that a subscription is to have. */
export interface WantedItem {
  readonly priceId: PriceId | null;
  readonly price: PriceSnapshot;
  /** In the subscription's currency; null when the price has none in it. */
  readonly amount: PriceAmount | null;
  readonly quantity: number;
  /** How the price is sold; null when the subscription has it, and keeps it even if it is sold no more. */
  readonly offer: Offer | null;
}

/** What has to be sent to the processor, so that a subscription has the items that are wanted. */
interface ChangedItems {
  readonly items: NonNullable<PlanChange['items']>;
  readonly removedItemIds: readonly string[];
}

/** How often a subscription is billed: every `count` intervals. */
export interface Cadence {
  readonly interval: Interval;
  readonly count: number;
}

/**
 * Returns all items that a caller wants a subscription to have; those that there are where the caller names none.
 * @throws Problem 422 `subscription_has_several_items`
 */
export function requestedItems(
  { items, priceId, quantity }: Pick<RequestedChange, 'items' | 'priceId' | 'quantity'>,
  { items: current }: Pick<SubscriptionSnapshot, 'items'>,
): readonly RequestedItem[] {
  if (items) return items;
  if (priceId === undefined && quantity === undefined) return current.map(item => ({ item, quantity: item.quantity }));
  const [only, ...others] = current;
  if (!only || others.length > 0) {
    const message = 'The subscription has several items: send all that it is to have in `items`.';
    throw unprocessable('subscription_has_several_items', message);
  }
  const wanted = { quantity: quantity ?? only.quantity };
  return [priceId === undefined ? { item: only, ...wanted } : { priceId, ...wanted }];
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
  if (new Set(wanted.map(({ price }) => `${price.intervalCount} ${price.interval}`)).size > 1)
    throw unprocessable('interval_mismatch', 'All items of a subscription need prices of one interval.');
}

/** Returns whether a price has an amount in a currency. */
export const isSoldIn = (price: PriceSnapshot, currency: string): boolean =>
  price.currency === currency || (price.currencyOptions?.has(currency) ?? false);

/**
 * Matches the items that are wanted to those that there are: by price, then by product, then the only one that is left to the
 * only one that is left, so that ids stay. The rest is added and removed. What stays as it is is not sent; else the quantity is,
 * which the processor makes 1 otherwise, except for usage.
 */
export function changedItems(
  current: readonly SubscriptionItemSnapshot[],
  wanted: readonly WantedItem[],
): ChangedItems {
  const left = new Set(current);
  const matched = new Map<WantedItem, SubscriptionItemSnapshot>();
  const match = (isMatch: (item: SubscriptionItemSnapshot, want: WantedItem) => boolean): void => {
    for (const want of wanted) {
      const found = matched.has(want) ? undefined : [...left].find(item => isMatch(item, want));
      if (!found) continue;
      left.delete(found);
      matched.set(want, found);
    }
  };
  match((item, { price }) => item.price.id === price.id);
  match((item, { price }) => item.price.productId === price.productId);
  if (left.size === 1 && matched.size === wanted.length - 1) match(() => true);
  return {
    items: wanted.flatMap(want => changeOf(want, matched.get(want)) ?? []),
    removedItemIds: [...left].map(({ id }) => id),
  };
}

function changeOf({ price, quantity }: WantedItem, item: SubscriptionItemSnapshot | undefined) {
  const wanted = price.metered ? {} : { quantity };
  if (!item) return { priceId: price.id, ...wanted };
  if (item.price.id !== price.id) return { id: item.id, priceId: price.id, ...wanted };
  return price.metered || item.quantity === quantity ? undefined : { id: item.id, quantity };
}

/** Returns the items as a phase of a schedule names them. */
export const toPhaseItems = (wanted: readonly WantedItem[]): PhaseSnapshot['items'] =>
  wanted.map(({ price, quantity }) => ({ priceId: price.id, quantity: price.metered ? null : quantity }));

/** Returns the items as the subscription's resource names them. */
export const toChangeItems = (wanted: readonly WantedItem[]): PlanChangeItem[] =>
  wanted.map(({ priceId, price, quantity }) => ({ priceId, processorPriceId: price.id, quantity }));

/** Returns whether the exact monthly amount rises or falls, at face value. What is billed by usage or by tiers has none. */
export function directionOf(
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
export function newInterval(
  { items: [current] }: SubscriptionSnapshot,
  [first]: readonly WantedItem[],
): (Cadence & { readonly isShorter: boolean }) | null {
  const [was, is] = [cadenceOf(current), cadenceOf(first)];
  if (!was || !is || (was.interval === is.interval && was.count === is.count)) return null;
  const before = BigInt(was.count) * INTERVALS_PER_YEAR[is.interval];
  const after = BigInt(is.count) * INTERVALS_PER_YEAR[was.interval];
  return { ...is, isShorter: after < before };
}

/** Returns the interval of the items if the subscription costs nothing and is to cost something; null when it is not so. */
export const firstPaidInterval = ({ items }: SubscriptionSnapshot, wanted: readonly WantedItem[]): Cadence | null =>
  items.every(isFree) && !wanted.every(isFree) ? cadenceOf(wanted[0]) : null;

const isFree = ({ price, amount }: Pick<WantedItem, 'price' | 'amount'>): boolean =>
  !price.metered && Number(amount?.unitAmountDecimal ?? amount?.unitAmount ?? Number.NaN) === 0;

function cadenceOf(item: Pick<WantedItem, 'price'> | undefined): Cadence | null {
  const { interval = null, intervalCount = null } = item?.price ?? {};
  return interval && { interval, count: intervalCount ?? 1 };
}
