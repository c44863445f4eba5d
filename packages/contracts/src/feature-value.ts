import { unprocessable } from './problem.ts';
import { UNLIMITED } from './entitlement-value.ts';
import type { Feature, FeatureValue } from './resources/feature.ts';

/** Returns whether a value is one that a feature may have: by its type a boolean, a limit, or one of its values. */
export function fits({ type, values }: Pick<Feature, 'type' | 'values'>, value: FeatureValue): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'limit') return typeof value === 'number' || value === UNLIMITED;
  return typeof value === 'string' && (values ?? []).includes(value);
}

/**
 * Checks that a value is one that the feature may have.
 * @throws Problem 422 `feature_value_invalid`
 */
export function requireFits(feature: Pick<Feature, 'key' | 'type' | 'values'>, value: FeatureValue): void {
  if (fits(feature, value)) return;
  const expected = {
    boolean: 'true or false',
    limit: `a whole number from 0 on, or "${UNLIMITED}"`,
    value: `one of ${(feature.values ?? []).map(one => `"${one}"`).join(', ')}`,
  }[feature.type];
  throw unprocessable('feature_value_invalid', `The feature "${feature.key}" takes ${expected}.`);
}
