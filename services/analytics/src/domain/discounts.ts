import { isDiscounted } from '@billing/contracts/discounted-items';
import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import {
  greatestCommonDivisor,
  INTERVALS_PER_YEAR,
  itemRevenue,
  perMonth,
  sumOf,
  type Fraction,
} from '@billing/contracts/item-revenue';
import type { CountedSubscription } from './counted-subscription.ts';
import { allTime, discountMetric, endingDiscountMetric, onDay, type Contribution } from './metrics.ts';
import { currencyOf } from './revenue.ts';
import { dayOf, type UtcDay } from './utc-day.ts';

type Discounted = Pick<CountedSubscription, 'items' | 'discounts'>;

/** What an item is worth a month. */
interface Worth {
  /** The place of the item. */
  readonly index: number;
  readonly processorProductId: string;
  readonly amount: Fraction;
  /** How often it is billed a month. */
  readonly billed: Fraction;
}

/** A percentage has four decimals at most. */
const PERCENT = 10_000;

/**
 * Returns what discounts take off the monthly revenue of a subscription, with its ends. A discount counts while its end is
 * over a month away, by UTC days, or it has none; one for a single invoice never does.
 */
export function discountContributions(state: Discounted): Contribution[] {
  const currency = currencyOf(state.items);
  if (currency === null || state.discounts.length === 0) return [];
  const days = state.discounts.flatMap(it => lastsUntil(it) ?? []);
  let later = takenOff(state, null);
  const contributions = [allTime(discountMetric(currency, later), later.numerator)];
  for (const day of [...new Set(days)].toSorted().toReversed()) {
    const before = takenOff(state, day);
    const change = reduced(sumOf([before, negated(later)]));
    contributions.push(onDay(endingDiscountMetric(currency, change), day, change.numerator));
    later = before;
  }
  return contributions;
}

/** Returns what a subscription is worth a month on a day, in minor units, after its discounts. */
export function discountedRevenue(state: Discounted, today: UtcDay): Fraction {
  const counted = state.discounts.filter(it => counts(it, until => until === null || until > today));
  return sumOf(worthAfter(state.items, counted).map(({ amount }) => amount));
}

/** What the discounts take off that count until `day` or longer; null stands for those without an end. */
function takenOff({ items, discounts }: Discounted, day: UtcDay | null): Fraction {
  const counted = discounts.filter(it => counts(it, until => until === null || (day !== null && until >= day)));
  const after = worthAfter(items, counted).map(({ amount }) => negated(amount));
  return reduced(sumOf([...worthAfter(items, []).map(({ amount }) => amount), ...after]));
}

const counts = (discount: BilledDiscount, lasts: (until: UtcDay | null) => boolean): boolean =>
  discount.duration !== 'once' && lasts(lastsUntil(discount));

/** The first day on which the end of a discount is no longer over a month away; null without an end. */
function lastsUntil({ endsAt, duration }: BilledDiscount): UtcDay | null {
  if (!endsAt || duration === 'once') return null;
  const monthBefore = new Date(endsAt);
  monthBefore.setUTCMonth(endsAt.getUTCMonth() - 1);
  // A day that the month before does not have is its last one.
  if (monthBefore.getUTCDate() !== endsAt.getUTCDate()) monthBefore.setUTCDate(0);
  return dayOf(monthBefore);
}

/**
 * Applies discounts one after the other, as the processor does: a percentage of what is left of each item, or an amount of
 * each invoice, shared among its items. One of an item counts for that alone, and comes before those of all in the list.
 * https://docs.stripe.com/billing/subscriptions/coupons
 */
function worthAfter(items: Discounted['items'], discounts: readonly BilledDiscount[]): readonly Worth[] {
  const currency = currencyOf(items);
  const priced = items.flatMap((item, index): Worth[] => {
    const revenue = item.currency === currency ? itemRevenue(item) : undefined;
    if (!revenue || item.interval === null) return [];
    const perYear = INTERVALS_PER_YEAR[item.interval];
    const billed = { numerator: perYear, denominator: 12n * BigInt(item.intervalCount ?? 1) };
    return [{ index, processorProductId: item.processorProductId, amount: perMonth(revenue), billed }];
  });
  return discounts.reduce<readonly Worth[]>((worth, discount) => discounted(worth, discount, currency), priced);
}

function discounted(worth: readonly Worth[], discount: BilledDiscount, currency: string | null): readonly Worth[] {
  const eligible = worth.filter(it => isDiscounted(discount, it, it.index));
  const left = leftBy(discount, eligible, currency);
  return worth.map(it => (eligible.includes(it) ? { ...it, amount: reduced(times(it.amount, left)) } : it));
}

/** The part of the items' worth that a discount leaves, from 0 to 1. */
function leftBy(
  { percentOff, amountOff, ...discount }: BilledDiscount,
  worth: readonly Worth[],
  currency: string | null,
) {
  if (percentOff !== null) {
    const whole = BigInt(100 * PERCENT);
    return { numerator: whole - BigInt(Math.round(percentOff * PERCENT)), denominator: whole };
  }
  const total = sumOf(worth.map(({ amount }) => amount));
  if (amountOff === null || discount.currency !== currency || total.numerator === 0n) return ALL;
  // Every invoice has it, and the items that are billed most often decide how many there are.
  const invoices = worth.map(({ billed }) => billed).reduce((most, it) => (isMore(it, most) ? it : most));
  const off = times(invoices, { numerator: BigInt(amountOff), denominator: 1n });
  if (!isMore(total, off)) return NOTHING;
  return times(sumOf([total, negated(off)]), { numerator: total.denominator, denominator: total.numerator });
}

const ALL: Fraction = { numerator: 1n, denominator: 1n };
const NOTHING: Fraction = { numerator: 0n, denominator: 1n };

const negated = ({ numerator, denominator }: Fraction): Fraction => ({ numerator: -numerator, denominator });

const times = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.numerator,
  denominator: one.denominator * other.denominator,
});

const isMore = (one: Fraction, other: Fraction): boolean =>
  one.numerator * other.denominator > other.numerator * one.denominator;

function reduced({ numerator, denominator }: Fraction): Fraction {
  const divisor = greatestCommonDivisor(denominator, numerator < 0n ? -numerator : numerator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}
