import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Price } from '../objects/stored.ts';
import { createPrice, type createParameters } from '../resources/price-create.ts';
import { createProduct } from '../resources/products.ts';
import type { z } from 'zod';

/** Who owns an object of the account: one of two applications, by `metadata.app`, or something that marks nothing so. */
export type Owner = 'shop' | 'forum' | 'other';

/** What one owner sells. */
export interface Catalog {
  /** Recurring prices by weight. */
  readonly recurring: readonly (readonly [Price, number])[];
  readonly oneTime: Price;
}

type NewPrice = Omit<z.output<typeof createParameters>, 'product' | 'metadata'>;
type Interval = 'day' | 'week' | 'month' | 'year';

const every = (interval: Interval, count = 1) => ({ interval, interval_count: count });
const fixed = (currency: string, amount: number, interval: Interval, count = 1): NewPrice => ({
  currency,
  unit_amount: amount,
  recurring: every(interval, count),
});

const TIERS = [
  { up_to: 5, unit_amount: 1_000 },
  { up_to: 50, unit_amount: 800, flat_amount: 500 },
  { up_to: null, unit_amount_decimal: '612.5' },
];

/** The prices of each product of an owner, with how often each is bought. */
const PRICES: readonly { readonly name: string; readonly prices: readonly (readonly [NewPrice, number])[] }[] = [
  {
    name: 'Basic',
    prices: [
      [fixed('usd', 900, 'month'), 24],
      [fixed('usd', 9_000, 'year'), 6],
      [fixed('eur', 900, 'month'), 10],
      [fixed('jpy', 1_200, 'month'), 3],
      [{ ...fixed('usd', 250, 'week'), nickname: 'Weekly pass' }, 3],
    ],
  },
  {
    name: 'Pro',
    prices: [
      [{ ...fixed('usd', 2_999, 'month'), currency_options: { eur: { unit_amount: 2_799 } } }, 20],
      [fixed('usd', 29_900, 'year'), 8],
      [fixed('gbp', 2_499, 'month'), 6],
      [fixed('usd', 7_999, 'month', 3), 4],
      [fixed('usd', 100, 'day'), 1],
    ],
  },
  {
    name: 'Seats',
    prices: [
      [
        { currency: 'usd', billing_scheme: 'tiered', tiers_mode: 'graduated', tiers: TIERS, recurring: every('month') },
        4,
      ],
      [{ currency: 'eur', billing_scheme: 'tiered', tiers_mode: 'volume', tiers: TIERS, recurring: every('month') }, 2],
      [{ currency: 'usd', unit_amount_decimal: '33.75', recurring: every('month') }, 2],
      [
        {
          ...fixed('usd', 500, 'month'),
          transform_quantity: { divide_by: 10, round: 'up' },
        },
        2,
      ],
    ],
  },
  {
    name: 'Usage',
    prices: [
      [{ currency: 'usd', unit_amount_decimal: '0.4', recurring: { ...every('month'), usage_type: 'metered' } }, 2],
    ],
  },
];

/** The metadata of an owner's objects. */
export const metadataOf = (owner: Owner): Record<string, string> =>
  owner === 'other' ? { source: 'crm' } : { app: owner };

/** Creates the products and prices of an owner, among them some that are sold no more. */
export function createCatalog(unit: UnitOfWork, owner: Owner): Catalog {
  const metadata = metadataOf(owner);
  const recurring: [Price, number][] = [];
  const newProduct = (name: string, active = true) =>
    createProduct(unit, { name: `${titleOf(owner)} ${name}`, active, metadata });
  for (const { name, prices } of PRICES) {
    const product = newProduct(name);
    for (const [given, weight] of prices)
      recurring.push([createPrice(unit, { ...given, product: product.id, metadata }), weight]);
  }
  const retired = newProduct('Classic', false);
  const former = createPrice(unit, { ...fixed('usd', 1_900, 'month'), product: retired.id, metadata, active: false });
  recurring.push([former, 4]);
  const oneTime = createPrice(unit, {
    currency: 'usd',
    unit_amount: 4_900,
    product: newProduct('Lifetime').id,
    metadata,
  });
  return { recurring, oneTime };
}

const titleOf = (owner: Owner): string => owner[0]?.toUpperCase() + owner.slice(1);
