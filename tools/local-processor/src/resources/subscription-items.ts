import { z } from 'zod';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { boolean, integer, metadata, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { cadenceOf, isMetered } from '../objects/price.ts';
import { changedItem, currentPeriod, newItem } from '../objects/subscription.ts';
import { discountsForItem } from '../billing/discounts.ts';
import type { Discount, Price, Subscription, SubscriptionItem } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { quantityOf, recurringPrice } from './prices.ts';

/** The items of a new subscription, or of a phase. */
export const newItemsParameter = z
  .array(
    z.strictObject({
      discounts: discountsParameter.optional(),
      metadata: metadata.optional(),
      price: text(),
      quantity: integer(0, 999_999_999).optional(),
    }),
  )
  .min(1)
  .max(20);

/** The parameter with which an update or a preview changes items. */
export const itemsParameter = z
  .array(
    z.strictObject({
      deleted: boolean.optional(),
      discounts: discountsParameter.optional(),
      id: text().optional(),
      price: text().optional(),
      quantity: integer(0, 999_999_999).optional(),
    }),
  )
  .max(20);
type ItemChange = z.output<typeof itemsParameter>[number];

/**
 * Returns the items of a subscription with changes, and the discounts that these redeem, which are not stored. A change without an id adds an item, also for a price that there is
 * already. A new price without a quantity has the quantity 1.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/change-price)
 * @throws ApiError 400 when the items do not fit each other, or none is left
 */
export function changedItems(
  unit: UnitOfWork,
  subscription: Subscription,
  changes: readonly ItemChange[],
  param = 'items',
): { items: Subscription['items']; fresh: Discount[] } {
  let data = subscription.items.data;
  const fresh: Discount[] = [];
  for (const [index, change] of changes.entries()) {
    data = changeItems(unit, subscription, data, change, `${param}[${index}]`);
    const item = data.find(({ id }) => id === change.id) ?? data.at(-1);
    if (!item || change.deleted || change.discounts === undefined) continue;
    const named = discountsForItem(unit, subscription, item, change.discounts ?? []);
    data = data.map(one => (one === item ? { ...item, discounts: named.ids } : one));
    fresh.push(...named.fresh);
  }
  if (data.length === 0) throw invalidRequest('A subscription must have at least one item. Cancel it instead.', param);
  rejectMixedCadences(data.map(({ price }) => price));
  return { items: { ...subscription.items, data }, fresh };
}

/** @throws ApiError 400 when the prices of a subscription are billed at different intervals */
export function rejectMixedCadences(prices: readonly Price[]): void {
  if (new Set(prices.map(price => JSON.stringify(cadenceOf(price)))).size > 1)
    throw invalidRequest('The local processor bills all prices of a subscription at the same interval.', 'items');
}

function changeItems(
  unit: UnitOfWork,
  subscription: Subscription,
  items: SubscriptionItem[],
  change: ItemChange,
  path: string,
): SubscriptionItem[] {
  const param = `${path}[price]`;
  const existing = items.find(({ id }) => id === change.id);
  if (change.id !== undefined && !existing) throw noSuch('subscription_item', change.id, `${path}[id]`);
  if (change.deleted) return items.filter(item => item !== existing);
  const isNewPrice = change.price !== undefined && change.price !== existing?.price.id;
  const price = isNewPrice ? recurringPrice(unit, change.price ?? '', param, subscription.currency) : existing?.price;
  if (!price) throw invalidRequest(`You must pass \`${param}\` for a new item.`, param);
  const kept = isNewPrice || isMetered(price) ? undefined : existing?.quantity;
  const quantity = quantityOf(price, change.quantity ?? kept, `${path}[quantity]`);
  if (!existing) return [...items, newItem(unit, subscription.id, { price, quantity }, currentPeriod(subscription))];
  const changed = changedItem(existing, price, quantity);
  return items.map(item => (item === existing ? changed : item));
}
