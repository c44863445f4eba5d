import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { differencesOf, outlineOf, Recording } from './recording.ts';

const price = { id: 'price_1', unit_amount: 5, nickname: null, metadata: { a: '1' }, tiers: [{ up_to: null }] };

it('keeps the kinds of fields, not their values', () => {
  const decimal = Stripe.Decimal.from('0.5');
  expect(outlineOf({ ...price, decimal, absent: undefined })).toEqual({
    id: 'string',
    unit_amount: 'number',
    nickname: 'null',
    metadata: 'metadata',
    tiers: [{ up_to: 'null' }],
    decimal: 'decimal',
  });
});

it('finds fields that only one has, and fields of another kind', () => {
  const theirs = { id: 'price_2', unit_amount: '5', nickname: 'x', metadata: {}, tiers: [{ up_to: 1, flat: 2 }] };
  expect(differencesOf(outlineOf({ ...price, ours: 1 }), outlineOf(theirs), 'price')).toEqual([
    'price.ours: only in the stand-in',
    'price.tiers[].flat: only at Stripe (number)',
    'price.unit_amount: number in the stand-in, string at Stripe',
  ]);
  expect(differencesOf(outlineOf([]), outlineOf({}), 'x')).toEqual(['x: list in the stand-in, object at Stripe']);
});

it('finds what was seen in one account only', () => {
  const [standIn, stripe] = [new Recording(), new Recording()];
  standIn.add('price', outlineOf(price));
  stripe.add('price', outlineOf(price));
  expect(standIn.differencesFrom(stripe)).toEqual([]);
  stripe.add('more', 'string');
  expect(standIn.differencesFrom(stripe)).toEqual(['more: seen only at Stripe']);
});
