import type { Price, Product } from '@billing/client';
import { expect, it } from 'vitest';
import { productNames, unitOf } from './product-names.ts';

// Only the fields that the names come from.
const products = [
  { id: 'pp_1', name: 'Pro', isActive: false },
  { id: 'pp_2', name: 'Seats', isActive: true },
] as unknown as Product[];
const prices = [
  { id: 'pri_1', productId: 'pp_1' },
  { id: 'pri_2', productId: 'pp_2' },
  { id: 'pri_3', productId: 'pp_gone' },
] as unknown as Price[];
const item = (priceId: string | null) => ({ priceId, processorPriceId: 'price_1' }) as never;

it('names what a subscription is to, archived products too, and an unknown price by its id', () => {
  const { ofItems, isLoaded } = productNames(prices, products);
  expect(isLoaded).toBe(true);
  expect(ofItems([item('pri_1')])).toBe('Pro');
  expect(ofItems([item('pri_1'), item('pri_2'), item('pri_2')])).toBe('Pro + Seats');
  expect(ofItems([item('pri_3'), item(null)])).toBe('Deleted product + price_1');
});

it('counts in the unit of the product', () => {
  const names = productNames(prices, [{ id: 'pp_2', name: 'Seats', unitLabel: 'seat' } as unknown as Product]);
  expect([0, 1, 5].map(quantity => unitOf(names, 'pri_2', quantity))).toEqual(['seats', 'seat', 'seats']);
  expect(unitOf(names, 'pri_3', 5)).toBeUndefined();
});

it('follows a product that gets another name', () => {
  expect(productNames(prices, products).ofPrice('pri_2')).toBe('Seats');
  const renamed = products.map(product => ({ ...product, name: `New ${product.name}` }));
  expect(productNames(prices, renamed).ofPrice('pri_2')).toBe('New Seats');
  expect(productNames(undefined, renamed).isLoaded).toBe(false);
});
