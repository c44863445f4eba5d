import { greatestCommonDivisor, type Fraction } from './item-revenue.ts';

/** Decimals of a number that has no last one. */
export const MAX_DECIMALS = 18;

/**
 * Writes a number as decimal text: exactly, or rounded up at the 18th decimal where it has no end, as one third has none.
 * So a sum of such texts, rounded half up, is the rounded sum of the numbers.
 */
export function toDecimalText({ numerator, denominator }: Fraction): string {
  const isNegative = numerator < 0n;
  const size = magnitudeText(isNegative ? -numerator : numerator, denominator, isNegative ? 0n : denominator - 1n);
  return isNegative && /[1-9]/.test(size) ? `-${size}` : size;
}

/** `roundBy` is what is added before the last decimal is cut off: 0 rounds down, almost one rounds up. */
function magnitudeText(numerator: bigint, denominator: bigint, roundBy: bigint): string {
  const whole = numerator / denominator;
  const rest = numerator % denominator;
  const reduced = denominator / greatestCommonDivisor(rest, denominator);
  const decimals = exactDecimals(reduced) ?? MAX_DECIMALS;
  if (decimals === 0) return String(whole);
  const scaled = rest * 10n ** BigInt(decimals);
  const digits = whole * 10n ** BigInt(decimals) + (scaled + roundBy) / denominator;
  const written = String(digits).padStart(decimals + 1, '0');
  return `${written.slice(0, -decimals)}.${written.slice(-decimals)}`;
}

/** The number of decimals of 1 ÷ `denominator`; null when they have no end. */
function exactDecimals(denominator: bigint): number | null {
  let [rest, twos, fives] = [denominator, 0, 0];
  for (; rest % 2n === 0n; rest /= 2n) twos += 1;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  return rest === 1n ? Math.max(twos, fives) : null;
}
