const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Pauses between attempts to find an event's project, in milliseconds. */
export const ROUTING_PAUSES_MS: readonly number[] = [1 * SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/**
 * After so many attempts an event that leads to no project of its team counts as foreign: by then our own change that it may
 * have overtaken is committed. If not, the event is routed when that happens.
 */
const FOREIGN_AFTER_ATTEMPTS = 3;

/** Whether an event that found no project in the given attempt (from 1) belongs to nobody here. */
export const isForeignAfter = (attempt: number, pausesMs: readonly number[]): boolean =>
  attempt >= Math.min(FOREIGN_AFTER_ATTEMPTS, pausesMs.length + 1);

/** How long to wait after the given attempt (from 1), in milliseconds; null when it was the last one. */
export function pauseAfter(attempt: number, pausesMs: readonly number[]): number | null {
  return pausesMs[attempt - 1] ?? null;
}

/** Why an event of a handled type is ignored: its object and its customer belong to no project of the team. */
export const FOREIGN = 'foreign';
/** Why an event of any type is ignored: it is about another Stripe account than the team's, for example a connected one. */
export const OTHER_ACCOUNT = 'other_account';
/** Why a delivery is ignored that shows no state of an object; a reason follows. */
export const NO_SNAPSHOT = 'no_snapshot';
/** Why an event of any type is ignored: it is of test mode and the account of live mode, or the other way round. */
export const LIVEMODE_MISMATCH = 'livemode_mismatch';

/** More projects have the customer than an event may go to. */
export const sentToSome = (projects: number, leftOut: number): string =>
  `fan_out_limited: sent to ${projects} projects and not to ${leftOut} more that have the customer`;
