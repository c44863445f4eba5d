import { roundedQuotient } from './prorate.ts';

/** What a discount takes off; either a percentage or an amount. */
export interface Rebate {
  /** The discount's id. */
  id: string;
  /** With at most two decimals. */
  percentOff: number | null;
  /** In the smallest unit of the invoice's currency. */
  amountOff: number | null;
  /** The products that it is limited to; null for all. */
  products: readonly string[] | null;
  /** The only item that it counts for; null for all lines. */
  item: string | null;
}

/** What one discount takes off one line, in the currency's smallest unit. */
export interface DiscountAmount {
  amount: number;
  discount: string;
}

/**
 * Returns what discounts take off each line. They are applied one after the other: a percentage of what is left of a line,
 * rounded per line, or an amount that is divided among the lines by what is left of them.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/coupons)
 */
export function discountAmounts(
  lines: readonly { amount: number; product: string; item?: string | null }[],
  rebates: readonly Rebate[],
): DiscountAmount[][] {
  const amounts: DiscountAmount[][] = lines.map(() => []);
  const left = lines.map(({ amount }) => Math.max(0, amount));
  for (const rebate of rebates) {
    const eligible = left.map((amount, index) => (isEligible(rebate, lines[index]) ? amount : 0));
    for (const [index, amount] of takenOff(rebate, eligible).entries()) {
      if (amount === 0) continue;
      amounts[index]?.push({ amount, discount: rebate.id });
      left[index] = (left[index] ?? 0) - amount;
    }
  }
  return amounts;
}

function isEligible({ products, item }: Rebate, line: { product: string; item?: string | null } | undefined): boolean {
  if (!line || (item !== null && item !== line.item)) return false;
  return products === null || products.includes(line.product);
}

function takenOff({ percentOff, amountOff }: Rebate, amounts: readonly number[]): number[] {
  if (percentOff !== null) return amounts.map(amount => percentOf(amount, percentOff));
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const off = Math.min(amountOff ?? 0, total);
  let [before, taken] = [0, 0];
  // Rounding what is taken off up to each line keeps the sum exact.
  return amounts.map(amount => {
    before += amount;
    const upTo = total === 0 ? 0 : roundedQuotient(BigInt(off) * BigInt(before), BigInt(total));
    const own = upTo - taken;
    taken = upTo;
    return own;
  });
}

function percentOf(amount: number, percent: number): number {
  return roundedQuotient(BigInt(amount) * BigInt(Math.round(percent * 100)), 10_000n);
}
