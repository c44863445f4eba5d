import { UNLIMITED, type FeatureValue } from '@billing/contracts/resources/feature';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSources, timesQuantity, type EntitlementSource, type FeatureRules } from './entitlements.ts';

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

const rank = (value: FeatureValue | undefined) => (value === UNLIMITED ? Infinity : Number(value));

const anyRules = fc.constantFrom(limit, sum, flag, support);
const anySource = fc
  .record({
    value: fc.oneof(
      fc.boolean(),
      fc.nat(20),
      fc.constantFrom(0, 1e12, Number.MAX_SAFE_INTEGER, UNLIMITED, 'unknown', ...VALUES),
    ),
    until: fc.option(fc.integer({ min: 1, max: 9 }).map(day)),
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
        const { value, until } = merged ?? {};
        expect(mergeSources(rules, sources.toReversed())).toMatchObject(merged ? { value, until } : {});
        const withMore = mergeSources(rules, [...sources, more]);
        if (merged && rules === sum) expect(rank(withMore?.value)).toBeGreaterThanOrEqual(rank(merged.value));
        else if (merged) {
          const higher = mergeSources(rules, [source(merged.value), source(withMore?.value ?? false)]);
          expect(higher?.value).toBe(withMore?.value);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('keeps its value until the end that it says, and has a lower one from then on', () => {
    fc.assert(
      fc.property(anyRules, fc.array(anySource, { maxLength: 6 }), (rules, sources) => {
        const at = (now: Date) =>
          mergeSources(
            rules,
            sources.filter(({ until }) => !until || until > now),
          );
        const merged = mergeSources(rules, sources);
        for (let number = 1; number <= 9; number += 1) {
          const isBefore = merged !== undefined && (merged.until === null || day(number) < merged.until);
          if (isBefore) expect(at(day(number))?.value).toBe(merged.value);
          else if (merged) {
            const left = at(day(number))?.value;
            expect(left).not.toBe(merged.value);
            const both = [source(merged.value), ...(left === undefined ? [] : [source(left)])];
            if (rules !== sum) expect(mergeSources(rules, both)?.value).toBe(merged.value);
          }
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});

it('multiplies limits alone by the quantity, as far as numbers are exact', () => {
  expect(timesQuantity(3, 4)).toBe(12);
  expect(timesQuantity(1e12, 1e6)).toBe(Number.MAX_SAFE_INTEGER);
  for (const value of [true, UNLIMITED, 'basic']) expect(timesQuantity(value, 4)).toBe(value);
});
