import type { PriceId, ProductId } from '@billing/contracts/ids';
import { UNLIMITED } from '@billing/contracts/entitlement-value';
import type { Feature, FeatureValue } from '@billing/contracts/resources/feature';

/** How a feature's values are merged. */
export type FeatureRules = Pick<Feature, 'key' | 'type' | 'values' | 'merge' | 'isActive'>;

/** One thing that gives a feature to a customer. */
export interface EntitlementSource {
  readonly kind: 'subscription' | 'grant';
  readonly id: string;
  readonly productId: ProductId | null;
  readonly priceId: PriceId | null;
  /** Multiplied by the quantity where the feature is given per quantity. */
  readonly value: FeatureValue;
  readonly quantity: number;
  /** When it ends by itself; null when it does not. */
  readonly until: Date | null;
  readonly reason: 'active' | 'trial' | 'grace' | 'grant';
}

/** What a customer may use of one feature, with all that gives it. */
export interface Entitlement {
  readonly type: Feature['type'];
  readonly value: FeatureValue;
  /** When the value first falls; null when it does not by itself. */
  readonly until: Date | null;
  readonly sources: readonly EntitlementSource[];
}

/** Sums beyond this are no longer exact; that many count as it. */
const MAX_SUM = Number.MAX_SAFE_INTEGER;

/**
 * Merges what gives one feature: of booleans one that is true, of limits the highest or the sum, of values the highest;
 * `unlimited` wins. Undefined when nothing gives it. Specification of entitlements, "Several sources".
 */
export function mergeSources(rules: FeatureRules, sources: readonly EntitlementSource[]): Entitlement | undefined {
  if (!rules.isActive) return undefined;
  const giving = sources.filter(({ value }) => rankOf(rules, value) !== undefined && value !== false);
  const value = merge(rules, giving);
  if (value === undefined) return undefined;
  return { type: rules.type, value, until: firstFall(rules, giving), sources: giving };
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
  const [highest] = values.toSorted((a, b) => (rankOf(rules, b) ?? 0) - (rankOf(rules, a) ?? 0));
  return highest;
}

/** When the merged value is first lower than it is: some source has ended by then. */
function firstFall(rules: FeatureRules, sources: readonly EntitlementSource[]): Date | null {
  const rank = (left: readonly EntitlementSource[]): number => {
    const value = merge(rules, left);
    return value === undefined ? -1 : (rankOf(rules, value) ?? -1);
  };
  const now = rank(sources);
  const ends = sources.flatMap(({ until }) => until ?? []).toSorted((a, b) => a.getTime() - b.getTime());
  return ends.find(end => rank(sources.filter(({ until }) => !until || until > end)) < now) ?? null;
}

/** The place of a value among those that the feature may have; undefined for one that it may not have. */
function rankOf({ type, values }: FeatureRules, value: FeatureValue): number | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? Number(value) : undefined;
  if (type === 'limit') {
    if (value === UNLIMITED) return Infinity;
    return typeof value === 'number' ? value : undefined;
  }
  const place = values?.indexOf(String(value)) ?? -1;
  return typeof value === 'string' && place >= 0 ? place : undefined;
}
