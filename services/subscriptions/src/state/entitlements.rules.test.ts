import { UNLIMITED } from '@billing/contracts/entitlement-value';
import type { FeatureValue } from '@billing/contracts/resources/feature';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeSources,
  timesQuantity,
  type Entitlement,
  type EntitlementSource,
  type FeatureRules,
} from './entitlements.rules.ts';

const VALUES = ['basic', 'priority', 'dedicated'];
const limit: FeatureRules = { key: 'seats', type: 'limit', values: null, merge: 'max', isActive: true };
const sum: FeatureRules = { ...limit, merge: 'sum' };
const flag: FeatureRules = { key: 'sso', type: 'boolean', values: null, merge: null, isActive: true };
const support: FeatureRules = { key: 'support', type: 'value', values: VALUES, merge: null, isActive: true };

const day = (number: number) => new Date(Date.UTC(2026, 2, number));

const source = (value: FeatureValue, until: Date | null = null): EntitlementSource => ({
  kind: 'subscription',
  id: 'ps_1',
  productId: 'pp_1',
  priceId: 'pri_1',
  value,
  quantity: 1,
  until,
  reason: 'active',
});

/** The place of an entitlement's value among others of its feature; -1 for none. */
const rank = (entitlement: Entitlement | undefined): number => {
  if (!entitlement) return -1;
  const { value } = entitlement;
  if (value === UNLIMITED) return Infinity;
  return typeof value === 'string' ? VALUES.indexOf(value) : Number(value);
};
/** Infinity less Infinity is 0 here. */
const difference = (a: number, b: number) => (a === b ? 0 : a - b);
const day1to9 = fc.integer({ min: 1, max: 9 });

const anyRules = fc.constantFrom(limit, sum, flag, support);
const anySource = fc
  .record({
    value: fc.oneof(
      fc.boolean(),
      fc.nat(20),
      fc.constantFrom(0, 1e12, Number.MAX_SAFE_INTEGER, UNLIMITED, 'unknown', ...VALUES),
    ),
    until: fc.option(day1to9.map(day)),
  })
  .map(({ value, until }) => source(value, until));

describe('what several sources give', () => {
  it('is true when one is, the highest limit or their sum, and the highest value', () => {
    expect(mergeSources(flag, [source(false), source(true)])?.value).toBe(true);
    expect(mergeSources(limit, [source(3), source(5)])?.value).toBe(5);
    expect(mergeSources(sum, [source(3), source(5)])?.value).toBe(8);
    expect(mergeSources(support, [source('priority'), source('basic')])?.value).toBe('priority');
  });

  it('is unlimited when one is', () => {
    for (const rules of [limit, sum])
      expect(mergeSources(rules, [source(3), source(UNLIMITED)])?.value).toBe(UNLIMITED);
  });

  it('is nothing of an inactive feature, without a source, and of values that the feature does not have', () => {
    expect(mergeSources({ ...flag, isActive: false }, [source(true)])).toBeUndefined();
    expect(mergeSources(flag, [])).toBeUndefined();
    expect(mergeSources(flag, [source(false)])).toBeUndefined();
    expect(mergeSources(support, [source('unknown'), source(3)])).toBeUndefined();
  });

  it('does not depend on the order of sources, and never falls by one more', () => {
    fc.assert(
      fc.property(anyRules, fc.array(anySource, { maxLength: 6 }), anySource, (rules, sources, more) => {
        const merged = mergeSources(rules, sources);
        const reversed = mergeSources(rules, sources.toReversed());
        expect([reversed?.value, reversed?.until]).toEqual([merged?.value, merged?.until]);
        const withMore = mergeSources(rules, [...sources, more]);
        expect(rank(withMore)).toBeGreaterThanOrEqual(rank(merged));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('keeps its value until the end that it says, and has a lower one from then on', () => {
    fc.assert(
      fc.property(anyRules, fc.array(anySource, { maxLength: 6 }), day1to9, (rules, sources, number) => {
        const merged = mergeSources(rules, sources);
        const later = mergeSources(
          rules,
          sources.filter(({ until }) => !until || until > day(number)),
        );
        const hasFallen = merged?.until != null && merged.until <= day(number);
        expect(Math.sign(difference(rank(merged), rank(later)))).toBe(Number(hasFallen));
      }),
      { numRuns: runs(2_000), examples: [[sum, [source(14, day(1)), source(Number.MAX_SAFE_INTEGER)], 1]] },
    );
  });
});

it('multiplies limits alone by the quantity, as far as numbers are exact', () => {
  expect(timesQuantity(3, 4)).toBe(12);
  expect(timesQuantity(1e12, 1e6)).toBe(Number.MAX_SAFE_INTEGER);
  for (const value of [3, UNLIMITED]) expect(timesQuantity(value, 0)).toBe(0);
  for (const value of [true, UNLIMITED, 'basic']) expect(timesQuantity(value, 4)).toBe(value);
});
