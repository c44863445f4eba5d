import { expect, it } from 'vitest';
import { describeMerge, describeType, formatGiven, formatValue, isMore } from './feature-words.ts';

const limit = { type: 'limit', values: null, merge: 'max' } as const;
const value = { type: 'value', values: ['unlimited', 'basic'], merge: null } as const;

it('says what the values of a feature are, and which of several counts', () => {
  const boolean = { type: 'boolean', values: null, merge: null } as const;
  const sum = { ...limit, merge: 'sum' } as const;
  const words = [boolean, limit, sum, value].map(one => [describeType(one), describeMerge(one)]);
  expect(words).toEqual([
    ['Yes or no', undefined],
    ['A limit; the highest counts', 'The highest counts.'],
    ['A limit; several add up', 'They add up.'],
    ['One of unlimited, basic', 'The highest counts.'],
  ]);
});

it.each([
  [true, 'boolean', 'Yes'],
  [false, 'boolean', 'No'],
  [0, 'limit', '0'],
  [1_000_000_000_000, 'limit', '1,000,000,000,000'],
  ['unlimited', 'limit', 'Unlimited'],
  ['unlimited', 'value', 'unlimited'],
] as const)('shows %j of a %s as %s', (given, type, shown) => {
  expect(formatValue(given, type)).toBe(shown);
});

it('says that a limit is given for each of the quantity, and not so of what nothing multiplies', () => {
  const given = { key: 'seats', productId: null, priceId: null, per: 'quantity' } as const;
  expect(formatGiven({ ...given, value: 5 }, 'limit')).toBe('5 for each of the quantity');
  expect(formatGiven({ ...given, value: 5, per: 'subscription' }, 'limit')).toBe('5');
  expect(formatGiven({ ...given, value: 'unlimited' }, 'limit')).toBe('Unlimited');
});

it.each([
  [5, 10, null, true],
  [10, 5, null, false],
  [5, 'unlimited', null, true],
  ['unlimited', 5, null, false],
  [null, 0, null, true],
  [false, true, null, true],
  [true, null, null, false],
  ['unlimited', 'basic', ['unlimited', 'basic'], true],
  ['basic', 'unlimited', ['unlimited', 'basic'], false],
] as const)('tells a gain from a loss: from %j to %j of %j', (from, to, values, isGain) => {
  expect(isMore(to, from, values && [...values])).toBe(isGain);
});
