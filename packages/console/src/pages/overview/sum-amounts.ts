/** Decimals of an amount at most; one that has no last one is rounded up at this one. */
const DIGITS = 18;

/** Adds decimal texts exactly and rounds once, half up, to a whole number of the smallest unit. */
export function sumAmounts(rows: readonly { readonly amount: string }[]): number {
  const scale = 10n ** BigInt(DIGITS);
  const doubled = 2n * rows.reduce((total, { amount }) => total + toScaled(amount), 0n) + scale;
  const quotient = doubled / (2n * scale);
  // The division cuts off towards zero.
  return Number(doubled < 0n && doubled % (2n * scale) !== 0n ? quotient - 1n : quotient);
}

function toScaled(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.slice(0, DIGITS).padEnd(DIGITS, '0')}`);
}
