import type { Price, Usage, UsageSummary } from '@billing/client';

const DAY_MS = 86_400_000;
const DAYS = 30;

/** Returns the meters that a customer's usage names, or the prices of its subscriptions, by name. */
export function metersOf(
  usage: readonly Pick<Usage, 'meter'>[],
  subscriptions: readonly { readonly items: readonly { readonly priceId: string | null }[] }[],
  prices: readonly Pick<Price, 'id' | 'meter'>[],
): readonly string[] {
  const sold = new Set<string | null>(subscriptions.flatMap(({ items }) => items.map(({ priceId }) => priceId)));
  const ofPrices = prices.flatMap(({ id, meter }) => (meter !== undefined && sold.has(id) ? [meter] : []));
  return [...new Set([...usage.map(({ meter }) => meter), ...ofPrices])].toSorted();
}

/** Returns the query of the 30 UTC days of which the last has `now`. */
export const lastDays = (now: Date) => ({
  start: new Date(now.getTime() - (DAYS - 1) * DAY_MS).toISOString(),
  end: now.toISOString(),
  window: 'day' as const,
});

/** Returns the UTC days on which something was used, newest first. */
export const daysWithUsage = (summaries: readonly Pick<UsageSummary, 'start' | 'value'>[]) =>
  summaries
    .filter(({ value }) => value !== 0)
    .map(({ start, value }) => ({ day: start.slice(0, 'yyyy-mm-dd'.length), value }))
    .toSorted((one, other) => other.day.localeCompare(one.day));
