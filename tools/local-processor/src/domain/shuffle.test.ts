import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shuffled } from './shuffle.ts';

test('the same seed gives the same order of the same elements', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer(), (elements, seed) => {
      const order = shuffled(elements, seed);
      expect(shuffled(elements, seed)).toEqual(order);
      expect(order.toSorted((a, b) => a - b)).toEqual(elements.toSorted((a, b) => a - b));
    }),
  );
});

test('different seeds give different orders', () => {
  const elements = Array.from({ length: 20 }, (_, index) => index);
  const orders = new Set([1, 2, 3, 4].map(seed => shuffled(elements, seed).join(',')));
  expect(orders.size).toBe(4);
});
