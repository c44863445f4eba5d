import type { Feature, FeatureValue, ProductFeature } from '@billing/client';
import { formatCount } from '#ui/amount.ts';

/** What the values of each type are. */
export const TYPES: Readonly<Record<Feature['type'], string>> = {
  boolean: 'Yes or no',
  limit: 'A limit',
  value: 'One of several values',
};

/** Says what a feature's values are, and which of several sources counts. */
export function describeType({ type, values, merge }: Pick<Feature, 'type' | 'values' | 'merge'>): string {
  if (type === 'limit') return merge === 'sum' ? 'A limit; several add up' : 'A limit; the highest counts';
  return type === 'value' ? `One of ${(values ?? []).join(', ')}` : TYPES.boolean;
}

/** Says which of several sources of a feature counts; undefined where nothing needs saying. */
export function describeMerge({ type, merge }: Pick<Feature, 'type' | 'merge'>): string | undefined {
  if (type === 'boolean') return undefined;
  return merge === 'sum' ? 'They add up.' : 'The highest counts.';
}

/** Returns a value as people read it: 1,000, Unlimited, Yes. */
export function formatValue(value: FeatureValue, type: Feature['type'] | undefined): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return formatCount(value);
  return type === 'limit' && value === 'unlimited' ? 'Unlimited' : value;
}

/** Returns what a product or a price gives: `5 for each of the quantity`. */
export const formatGiven = ({ value, per }: ProductFeature, type: Feature['type'] | undefined): string =>
  per === 'quantity' && typeof value === 'number'
    ? `${formatValue(value, type)} for each of the quantity`
    : formatValue(value, type);

/** Returns whether a value is more than another one, or than nothing. Limits grow, and a feature's values come the lowest first. */
export function isMore(to: FeatureValue | null, from: FeatureValue | null, values: Feature['values']): boolean {
  const rankOf = (value: FeatureValue | null): number => {
    if (value === null) return -1;
    if (typeof value !== 'string') return Number(value);
    return values ? values.indexOf(value) : Infinity;
  };
  return rankOf(to) > rankOf(from);
}
