import type { PriceId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { PlanChange as RequestedChange, PlanChangeItem } from '@billing/contracts/resources/plan-change';
import type { PlanChange } from '@billing/processor/plan-changes';
import type { PriceSnapshot, SubscriptionSnapshot } from '@billing/processor/port';
import type { PriceAmount } from '@billing/processor/snapshots/catalog';
import type { PhaseSnapshot } from '@billing/processor/snapshots/schedule';
import type { SubscriptionItemSnapshot } from '@billing/processor/snapshots/subscription';
import type { Offer } from './purchase.ts';

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

type PhaseItem = PhaseSnapshot['items'][number];

/** What has to be sent to the processor, so that a subscription has the items that are wanted. */
export interface ChangedItems {
  readonly items: NonNullable<PlanChange['items']>;
  readonly removedItemIds: readonly string[];
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
 * Matches the items that are wanted to those that there are: by price, then by product, then the only one that is left to the
 * only one that is left, so that ids stay. The rest is added and removed. What stays as it is is not sent; else the quantity is,
 * which the processor makes 1 otherwise, except for usage.
 */
export function changedItems(
  current: readonly SubscriptionItemSnapshot[],
  wanted: readonly WantedItem[],
): ChangedItems {
  const left = new Set(current);
  const take = (fits: (item: SubscriptionItemSnapshot) => boolean): SubscriptionItemSnapshot | undefined => {
    const found = [...left].find(fits);
    if (found) left.delete(found);
    return found;
  };
  const matched = new Map<WantedItem, SubscriptionItemSnapshot>();
  const match = (isMatch: (item: SubscriptionItemSnapshot, want: WantedItem) => boolean): void => {
    for (const want of wanted) {
      const found = matched.has(want) ? undefined : take(item => isMatch(item, want));
      if (found) matched.set(want, found);
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

/** Returns the items as a phase of a schedule names them. */
export const toPhaseItems = (wanted: readonly WantedItem[]): PhaseItem[] =>
  wanted.map(({ price, quantity }) => ({ priceId: price.id, quantity: price.metered ? null : quantity }));

/** Returns the items as the subscription's resource names them. */
export const toChangeItems = (wanted: readonly WantedItem[]): PlanChangeItem[] =>
  wanted.map(({ priceId, price, quantity }) => ({ priceId, processorPriceId: price.id, quantity }));

function changeOf({ price, quantity }: WantedItem, item: SubscriptionItemSnapshot | undefined) {
  const wanted = price.metered ? {} : { quantity };
  if (!item) return { priceId: price.id, ...wanted };
  if (item.price.id !== price.id) return { id: item.id, priceId: price.id, ...wanted };
  return price.metered || item.quantity === quantity ? undefined : { id: item.id, quantity };
}
