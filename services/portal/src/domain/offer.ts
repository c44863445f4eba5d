import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import type { PriceId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import type { BilledSubscription } from '@billing/contracts/rpc/as-customer';

/** A price and its product, as the catalog has them. */
export interface SoldPrice {
  readonly price: PriceState;
  readonly product: ProductState;
}

/** What the customer of a subscription may choose. */
export interface Offer {
  /** What the subscription bills. */
  readonly item: BilledItem;
  /** The prices, in the order of the settings; null stands for the one that the subscription has. */
  readonly choices: readonly (SoldPrice | null)[];
  /** How many there may be; null where that stays as it is. */
  readonly quantity: { readonly min: number; readonly max: number } | null;
}

/** What a customer chose; what is left out stays as it is. */
export interface Choice {
  readonly priceId?: PriceId | undefined;
  readonly quantity?: number | undefined;
}

/** The part of a subscription that decides what is offered. */
export type Changeable = Pick<
  BilledSubscription,
  'status' | 'items' | 'pauseCollection' | 'cancelAtPeriodEnd' | 'cancelAt' | 'currentPeriodEnd' | 'hasForeignSchedule'
>;

/**
 * Returns what a project offers to the customer of a subscription: only what is possible, so that nothing is offered and then
 * refused. Null when nothing is.
 */
export function offerFor(
  subscription: Changeable,
  { planSwitch, quantity }: Pick<PortalConfig, 'planSwitch' | 'quantity'>,
  prices: ReadonlyMap<PriceId, SoldPrice>,
): Offer | null {
  const [item, ...others] = subscription.items;
  if (!item || others.length > 0 || !canChange(subscription)) return null;
  const sold = planSwitch.enabled ? planSwitch.priceIds.flatMap(id => prices.get(id) ?? []) : [];
  const fitting = sold.flatMap(it =>
    isOf(it, item) ? [null] : canReplace(it) ? (soldIn(item.currency, it) ?? []) : [],
  );
  const choices = fitting.includes(null) ? fitting : [null, ...fitting];
  const hasQuantity = choices.some(it => !(it?.price ?? item).metered);
  const { enabled, min, max } = quantity;
  const range = enabled && hasQuantity ? { min, max } : null;
  return choices.length > 1 || range ? { item, choices, quantity: range } : null;
}

/**
 * Returns what a customer changes of a subscription. What it has already is no change, and may be chosen at any time: so a
 * repeated request is known. Of usage there is no quantity.
 * @throws Problem 422 `price_not_offered`
 */
export function requireOffered(
  { items: [item] }: Changeable,
  offer: Offer | null,
  { priceId, quantity }: Choice,
): Choice {
  const isKept = priceId === undefined || priceId === item?.priceId;
  const chosen = isKept ? null : offer?.choices.find(it => it?.price.id === priceId);
  if (!item || chosen === undefined) throw notOffered('The price is not offered for this subscription.');
  const { metered } = chosen?.price ?? item;
  const { min, max } = offer?.quantity ?? { min: 1, max: 0 };
  const kept = item.metered ? Math.max(min, 1) : item.quantity;
  const wanted = quantity ?? kept;
  if (!metered && wanted !== kept && (wanted < min || wanted > max))
    throw notOffered('The quantity is not offered for this subscription.');
  return { ...(chosen && { priceId: chosen.price.id }), ...(!metered && { quantity: wanted }) };
}

const notOffered = (message: string) => unprocessable('price_not_offered', message);

/** A pause of payments, a missing payment or an end comes first; a foreign schedule is never touched. */
function canChange(subscription: Changeable): boolean {
  const { status, pauseCollection, cancelAtPeriodEnd, cancelAt, currentPeriodEnd, hasForeignSchedule } = subscription;
  const isRunning = (status === 'active' || status === 'trialing') && pauseCollection === null;
  const isEnding = cancelAtPeriodEnd || (cancelAt !== null && cancelAt <= currentPeriodEnd);
  return isRunning && !isEnding && !hasForeignSchedule;
}

/** Whether a price is the one of an item; that of an item from elsewhere is known by the processor's id only. */
const isOf = ({ price }: SoldPrice, item: BilledItem): boolean => price.processorPriceId === item.processorPriceId;

/** A subscription is billed in intervals. */
const canReplace = ({ price, product }: SoldPrice): boolean =>
  price.isActive &&
  price.deletedAt === null &&
  product.isActive &&
  product.deletedAt === null &&
  price.type === 'recurring';

/** Returns a price with what it costs in the currency of a subscription; null when it has no amount in it that can be shown. */
export function soldIn(currency: string, { price, product }: SoldPrice): SoldPrice | null {
  if (price.currency === currency) return { price, product };
  const option = price.currencyOptions[currency];
  if (!option || (option.unitAmount === null && price.billingScheme !== 'tiered')) return null;
  const { unitAmount } = option;
  const amount = { unitAmount, unitAmountDecimal: unitAmount === null ? null : String(unitAmount) };
  return { price: { ...price, ...amount, currency }, product };
}
