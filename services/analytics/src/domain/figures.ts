import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { RevenueTerm } from './revenue.ts';
import type { UtcDay, UtcHour } from './utc-day.ts';

/**
 * A number the read model keeps for a project: one over all time, or one for each UTC day or hour. Every one is a plain
 * sum over the project's subjects, so that a subject's change is the difference of two sums.
 */
export interface FigureKey {
  readonly figure: string;
  /** A `UtcDay` or a `UtcHour`; empty for a figure over all time. */
  readonly day: string;
}

/** What one subject adds to the figures of its project. */
export interface Share extends FigureKey {
  readonly amount: bigint;
}

export const overAll = (figure: string, amount = 1n): Share => ({ figure, day: '', amount });
export const onDay = (figure: string, day: UtcDay, amount = 1n): Share => ({ figure, day, amount });
export const inHour = (figure: string, hour: UtcHour): Share => ({ figure, day: hour, amount: 1n });

/** Names of figures, each with what its sum means. */
export const FIGURE = {
  /** Customers that are not deleted. */
  customers: 'customers',
  /** By day: customers created less customers deleted. */
  customersGained: 'customers-gained',
  /** Subscriptions that were ever activated and have not ended. */
  living: 'living',
  webhooks: 'webhooks',
  webhooksProcessed: 'webhooks-processed',
  webhooksFailed: 'webhooks-failed',
  codes: 'codes',
  referrals: 'referrals',
  referralsConverted: 'referrals-converted',
} as const;

/** Lifetimes of activated subscriptions, each counted by day and, for the first day of a window, by hour. */
export const LIFETIME_FIGURE = {
  /** By when they began. */
  began: { daily: 'began', hourly: 'began-hourly' },
  /** By when they ended. */
  ended: { daily: 'ended', hourly: 'ended-hourly' },
  /** By when they began: those that have ended since. */
  beganAndEnded: { daily: 'began-and-ended', hourly: 'began-and-ended-hourly' },
} as const;

/** The number of subscriptions in a status. */
export const statusFigure = (status: SubscriptionStatus): string => `status:${status}`;

type Earning = 'active' | 'trialing';

/** The numerators of all revenue of a kind, currency and interval count: they share one denominator. */
export const recurringFigure = (earning: Earning, currency: string, intervalCount: number): string =>
  `recurring:${earning}:${currency}:${intervalCount}`;

/** Reads a name that `recurringFigure` made; undefined for any other figure. */
export function readRecurringFigure(
  figure: string,
  numerator: bigint,
): (RevenueTerm & { readonly earning: Earning }) | undefined {
  const [kind, earning, currency, intervalCount] = figure.split(':');
  if (kind !== 'recurring' || (earning !== 'active' && earning !== 'trialing') || !currency) return undefined;
  return { earning, currency, intervalCount: Number(intervalCount), numerator };
}

/** Why revenue moved, as the README of this service defines it. */
const MOVEMENTS = ['new', 'expansion', 'contraction', 'churned'] as const;
export type Movement = (typeof MOVEMENTS)[number];

/** What the names of all figures of moved revenue begin with. */
export const MOVED = 'moved:';

/** By day: what revenue of a currency and interval count rose by for this reason; below zero where it fell. */
export const movedFigure = (movement: Movement, currency: string, intervalCount: number): string =>
  `${MOVED}${movement}:${currency}:${intervalCount}`;

/** Reads a name that `movedFigure` made. */
export function readMovedFigure(
  figure: string,
  numerator: bigint,
): (RevenueTerm & { readonly movement: Movement }) | undefined {
  const [kind, name, currency, intervalCount] = figure.split(':');
  const movement = MOVEMENTS.find(it => it === name);
  if (`${kind}:` !== MOVED || !movement || !currency) return undefined;
  return { movement, currency, intervalCount: Number(intervalCount), numerator };
}
