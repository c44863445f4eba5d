import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Cadence } from '../domain/periods.ts';
import { newId } from '../domain/ids.ts';
import type { Plan, Price } from './stored.ts';

interface NewPrice {
  active: boolean;
  currency: string;
  lookupKey: string | null;
  metadata: Stripe.Metadata;
  nickname: string | null;
  product: string;
  cadence: Cadence | null;
  unitAmount: number;
  taxBehavior: 'exclusive' | 'inclusive' | 'unspecified';
}

/** Returns a price with a fixed amount per unit. */
export function newPrice(unit: UnitOfWork, given: NewPrice): Price {
  const { cadence } = given;
  return {
    id: newId('price_1'),
    object: 'price',
    active: given.active,
    billing_scheme: 'per_unit',
    created: unit.now,
    currency: given.currency,
    custom_unit_amount: null,
    livemode: unit.livemode,
    lookup_key: given.lookupKey,
    metadata: given.metadata,
    nickname: given.nickname,
    product: given.product,
    recurring: cadence && {
      interval: cadence.interval,
      interval_count: cadence.count,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: given.taxBehavior,
    tiers_mode: null,
    transform_quantity: null,
    type: cadence ? 'recurring' : 'one_time',
    unit_amount: given.unitAmount,
    unit_amount_decimal: String(given.unitAmount),
  };
}

/** Returns how often a price is billed; null for a one-time price. */
export function cadenceOf(price: Price): Cadence | null {
  const { recurring } = price;
  if (!recurring) return null;
  // Prices are only created with these four intervals; the library's type allows future ones.
  return { interval: recurring.interval as Cadence['interval'], count: recurring.interval_count };
}

/** Returns the legacy `plan` form of a recurring price, which subscription items still contain. */
export function planOf(price: Price, cadence: Cadence): Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: cadence.interval,
    interval_count: cadence.count,
    livemode: price.livemode,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}
