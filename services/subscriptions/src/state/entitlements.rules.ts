import { UNLIMITED } from '@billing/contracts/entitlement-value';
import { fits } from '@billing/contracts/feature-value';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import type { Feature, FeatureValue } from '@billing/contracts/resources/feature';

/** How a feature's values are merged. */
export type FeatureRules = Pick<Feature, 'key' | 'type' | 'values' | 'merge' | 'isActive'>;

/** What a customer may use of one feature, with all that gives it. */
export type Entitlement = CustomerState['entitlements'][string];
/** One thing that gives a feature to a customer. Its value is multiplied by the quantity where it is given per quantity. */
export type EntitlementSource = Entitlement['sources'][number];

/** Many subscriptions of many items would make a state that no memory holds. */
const MAX_SHOWN = 100;

/** Sums beyond this are no longer exact; that many count as it. */
const MAX_SUM = Number.MAX_SAFE_INTEGER;

/**
 * Merges what gives one feature: of booleans one that is true, of limits the highest or the sum, of values the highest;
 * `unlimited` wins. Undefined when nothing gives it. Specification of entitlements, "Several sources".
 */
export function mergeSources(rules: FeatureRules, sources: readonly EntitlementSource[]): Entitlement | undefined {
  if (!rules.isActive) return undefined;
  const giving = sources.filter(({ value }) => fits(rules, value) && value !== false);
  const value = merge(rules, giving);
  if (value === undefined) return undefined;
  return { type: rules.type, value, until: firstFall(rules, giving), sources: giving.slice(0, MAX_SHOWN) };
}

/** Multiplies a limit by a quantity; other values are given as they are. None of what is unlimited is nothing. */
export function timesQuantity(value: FeatureValue, quantity: number): FeatureValue {
  if (value === UNLIMITED && quantity === 0) return 0;
  return typeof value === 'number' ? Math.min(MAX_SUM, value * quantity) : value;
}

function merge(rules: FeatureRules, sources: readonly EntitlementSource[]): FeatureValue | undefined {
  const values = sources.map(({ value }) => value);
  if (rules.type === 'limit' && rules.merge === 'sum' && values.length > 0 && !values.includes(UNLIMITED))
    return values.reduce<number>((sum, value) => Math.min(MAX_SUM, sum + Number(value)), 0);
  return values.reduce<FeatureValue | undefined>(
    (highest, value) => (highest === undefined || rankOf(rules, value) > rankOf(rules, highest) ? value : highest),
    undefined,
  );
}

/**
 * When the merged value is first lower than it is: the highest falls when the last source of it ends, a sum when the first
 * does that adds to it.
 */
function firstFall(rules: FeatureRules, sources: readonly EntitlementSource[]): Date | null {
  const ranked = sources.map(({ value, until }) => ({
    rank: rankOf(rules, value),
    until: until?.getTime() ?? Infinity,
  }));
  const highest = ranked.reduce((most, { rank }) => Math.max(most, rank), -1);
  const isSum = rules.merge === 'sum' && highest < Infinity && highest > 0;
  const end = isSum
    ? firstFallOfSum(ranked)
    : ranked.reduce((last, { rank, until }) => (rank === highest ? Math.max(last, until) : last), -Infinity);
  return Number.isFinite(end) ? new Date(end) : null;
}

/** When less is left than all together, counted from the last end back; each sum is cut off where it is no longer exact. */
function firstFallOfSum(summed: readonly { readonly rank: number; readonly until: number }[]): number {
  const add = (sum: number, rank: number): number => Math.min(MAX_SUM, sum + rank);
  const all = summed.reduce((sum, { rank }) => add(sum, rank), 0);
  let [left, first] = [0, Infinity];
  for (const { rank, until } of summed.toSorted((a, b) => Number(a.until < b.until) - Number(a.until > b.until))) {
    if (left < all) first = until;
    left = add(left, rank);
  }
  return first;
}

/** The place of a value among those that the feature may have. */
function rankOf({ type, values }: FeatureRules, value: FeatureValue): number {
  if (type === 'value') return (values ?? []).indexOf(String(value));
  return value === UNLIMITED ? Infinity : Number(value);
}
