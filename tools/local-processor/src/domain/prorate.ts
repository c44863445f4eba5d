/** A period in Unix seconds; the end is not part of it. */
export interface Period {
  start: number;
  end: number;
}

/**
 * Returns the part of a period's amount that is left at a moment, in whole seconds and rounded to the nearest smallest
 * unit of the currency. Before the period all of it is left, after it nothing.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/prorations)
 */
export function prorate(amount: number, { start, end }: Period, at: number): number {
  if (at <= start) return amount;
  if (at >= end) return 0;
  const left = roundedQuotient(BigInt(Math.abs(amount)) * BigInt(end - at), BigInt(end - start));
  return amount < 0 ? 0 - left : left;
}

/** Returns the nearest whole number to a quotient that is not negative; a half is rounded up. */
export function roundedQuotient(dividend: bigint, divisor: bigint): number {
  return Number((2n * dividend + divisor) / (2n * divisor));
}
