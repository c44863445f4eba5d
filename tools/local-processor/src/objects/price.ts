import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Cadence } from '../domain/periods.ts';
import { newId } from '../domain/ids.ts';
import { amountOf, type Rate } from '../domain/price-amount.ts';
import type { CurrencyOption, Plan, Price } from './stored.ts';

type NewPrice = Pick<
  Price,
  'active' | 'currency' | 'metadata' | 'nickname' | 'product' | 'tiers_mode' | 'transform_quantity'
> & {
  cadence: Cadence | null;
  usageType: 'licensed' | 'metered';
  meter: string | null;
  /** The amount in the price's own currency. */
  own: CurrencyOption;
};

/** Returns a price; its tiers and other currencies are in its `PriceDetail`. */
export function newPrice(unit: UnitOfWork, given: NewPrice): Price {
  const { cadence, usageType, meter, own, ...fields } = given;
  return {
    ...fields,
    id: newId('price_1'),
    object: 'price',
    billing_scheme: own.tiers ? 'tiered' : 'per_unit',
    created: unit.now,
    custom_unit_amount: null,
    livemode: unit.livemode,
    lookup_key: null,
    recurring: cadence && {
      interval: cadence.interval,
      interval_count: cadence.count,
      meter,
      trial_period_days: null,
      usage_type: usageType,
    },
    tax_behavior: own.tax_behavior,
    type: cadence ? 'recurring' : 'one_time',
    unit_amount: own.unit_amount,
    unit_amount_decimal: own.unit_amount_decimal,
  };
}

/** Returns the currencies of a price; for one that an older data file has without them, its own. */
export function currencyOptionsOf(unit: UnitOfWork, price: Price): Record<string, CurrencyOption> {
  const detail = unit.tables.price_detail.get(price.id);
  if (detail) return detail.currencyOptions;
  const { currency, unit_amount, unit_amount_decimal } = price;
  const own = { custom_unit_amount: null, tax_behavior: 'unspecified', tiers: null } as const;
  return { [currency]: { ...own, unit_amount, unit_amount_decimal } };
}

/** Returns whether usage, not a quantity, decides what a price costs. */
export function isMetered(price: Price): boolean {
  return price.recurring?.usage_type === 'metered';
}

/** Returns what a quantity of a price costs in a currency that the price has. That of a metered price is its usage: null is none. */
export function priceAmount(unit: UnitOfWork, price: Price, currency: string, quantity: number | null): number {
  if (isMetered(price) && quantity === null) return 0;
  const option = currencyOptionsOf(unit, price)[currency];
  const rate = {
    unitAmountDecimal: option?.unit_amount_decimal ?? null,
    tiers: option?.tiers ?? null,
    // Prices are only created with this shape; the library's type allows future ones.
    tiersMode: price.tiers_mode,
    transform: price.transform_quantity as Rate['transform'],
  };
  return amountOf(rate, quantity ?? 1);
}

/** Returns what quantities of prices cost together. */
export function subtotalOf(
  unit: UnitOfWork,
  lines: readonly { price: Price; quantity?: number | null }[],
  currency: string,
): number {
  return lines.reduce((sum, { price, quantity = null }) => sum + priceAmount(unit, price, currency, quantity), 0);
}

/** Returns whether a price costs nothing, whatever the quantity. Usage of a metered price may cost something. */
export function isFree(unit: UnitOfWork, price: Price, currency: string): boolean {
  return !isMetered(price) && priceAmount(unit, price, currency, 1) === 0;
}

/** Returns the name of a price's product. */
export function productName(unit: UnitOfWork, price: Pick<Price, 'product'>): string {
  const product = unit.tables.product.get(price.product);
  return product && 'name' in product ? product.name : price.product;
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
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: cadence.interval,
    interval_count: cadence.count,
    livemode: price.livemode,
    metadata: price.metadata,
    meter: price.recurring?.meter ?? null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: price.tiers_mode,
    transform_usage: price.transform_quantity,
    trial_period_days: null,
    // Prices are only created with these two; the library's type allows future ones.
    usage_type: (price.recurring?.usage_type ?? 'licensed') as 'licensed' | 'metered',
  };
}
