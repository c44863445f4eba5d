/** One tier of a price. Amounts are decimal numbers of the currency's smallest unit; `up_to` null means no upper bound. */
interface Tier {
  up_to: number | null;
  unit_amount_decimal: string | null;
  flat_amount_decimal: string | null;
}

/** What a price costs in one currency. */
export interface Rate {
  /** The amount per unit; null for a tiered price. */
  unitAmountDecimal: string | null;
  tiers: readonly Tier[] | null;
  tiersMode: 'graduated' | 'volume' | null;
  transform: { divide_by: number; round: 'up' | 'down' } | null;
}

const DECIMAL_PLACES = 12;
const ONE = 10n ** BigInt(DECIMAL_PLACES);

/**
 * Returns the amount for a quantity in the currency's smallest unit. It is exact, and rounded half up once.
 * (Stripe: https://docs.stripe.com/products-prices/pricing-models)
 */
export function amountOf(rate: Rate, quantity: number): number {
  if (rate.tiers === null) return rounded(scaled(rate.unitAmountDecimal) * BigInt(billedQuantity(rate, quantity)));
  const exact = rate.tiersMode === 'volume' ? volume(rate.tiers, quantity) : graduated(rate.tiers, quantity);
  return rounded(exact);
}

/** Returns the decimal in its shortest form: "1.50" is "1.5". */
export function shortestDecimal(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal.replace(/^0+(?=\d)/, '');
}

/** Returns the whole number that a decimal is, or null for one with a fraction. */
export function wholeAmount(decimal: string | null): number | null {
  if (decimal === null) return null;
  const number = Number(decimal);
  return Number.isSafeInteger(number) && scaled(decimal) % ONE === 0n ? number : null;
}

function billedQuantity({ transform }: Rate, quantity: number): number {
  if (!transform) return quantity;
  const packages = quantity / transform.divide_by;
  return transform.round === 'up' ? Math.ceil(packages) : Math.floor(packages);
}

/** All units cost what the tier of the whole quantity says. */
function volume(tiers: readonly Tier[], quantity: number): bigint {
  const tier = tiers.find(({ up_to: most }) => most === null || quantity <= most);
  return tier ? scaled(tier.unit_amount_decimal) * BigInt(quantity) + scaled(tier.flat_amount_decimal) : 0n;
}

/** Each unit costs what the tier says that it falls into. The first tier's flat amount is due without units too. */
function graduated(tiers: readonly Tier[], quantity: number): bigint {
  let sum = 0n;
  let below = 0;
  for (const { up_to: most, unit_amount_decimal: each, flat_amount_decimal: flat } of tiers) {
    if (quantity <= below && below > 0) break;
    const units = Math.min(quantity, most ?? quantity) - below;
    sum += scaled(each) * BigInt(units) + scaled(flat);
    below = most ?? quantity;
  }
  return sum;
}

/** Returns a decimal as a multiple of 10^-12. */
function scaled(decimal: string | null): bigint {
  if (decimal === null) return 0n;
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMAL_PLACES, '0'));
}

function rounded(exact: bigint): number {
  return Number((exact + ONE / 2n) / ONE);
}
