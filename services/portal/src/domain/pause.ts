import type { BilledSubscription } from '@billing/contracts/rpc/as-customer';
import { unprocessable } from '@billing/contracts/problem';
import type { PortalConfig } from '@billing/contracts/resources/portal-config';

const DAY_MS = 86_400_000;
/** The lengths that the page offers, in days. */
const LENGTHS = [7, 14, 30, 60, 90, 180, 365];

type PauseSettings = PortalConfig['pause'];
type Pausable = Pick<BilledSubscription, 'status' | 'cancelAtPeriodEnd' | 'pauseCollection'>;

/** Returns whether nothing comes before a pause: a trial, a missing payment, or an end. */
const isPaid = ({ status, cancelAtPeriodEnd }: Pausable): boolean => status === 'active' && !cancelAtPeriodEnd;

const isPaused = ({ status, pauseCollection }: Pausable): boolean => status === 'paused' || pauseCollection !== null;

/** Returns whether the customer of a subscription is offered to pause it. */
export const canPause = (subscription: Pausable, { enabled }: PauseSettings): boolean =>
  enabled && isPaid(subscription) && !isPaused(subscription);

/** Returns whether the customer of a subscription is offered to end its pause. */
export const canEndPause = (subscription: Pausable, { enabled }: PauseSettings): boolean =>
  enabled && isPaused(subscription);

/** Returns in which period a subscription is resumed: only one whose periods have stopped begins a new one. */
export const cycleOf = ({ status }: Pausable): 'keep' | 'restart' => (status === 'paused' ? 'restart' : 'keep');

/** Returns the lengths of a pause in days, the longest that may be among them; null stands for one without an end. */
export const pauseLengths = (maxDays: PauseSettings['maxDays']): readonly (number | null)[] =>
  maxDays === null ? [...LENGTHS, null] : [...LENGTHS.filter(days => days < maxDays), maxDays];

/** Returns when a pause of so many days ends. */
export const inDays = (now: Date, days: number): Date => new Date(now.getTime() + days * DAY_MS);

/**
 * Returns when a pause ends that a customer wants; null for one without an end. One that is paused already may be wanted again: so a
 * repeated request is known.
 * @throws Problem 422 `pause_not_offered`
 */
export function requirePause(
  subscription: Pausable,
  { enabled, maxDays }: PauseSettings,
  { wanted, now }: { readonly wanted: Date | undefined; readonly now: Date },
): Date | null {
  if (!enabled || !(isPaid(subscription) || isPaused(subscription))) throw notOffered('be paused');
  if (maxDays === null) return wanted ?? null;
  const latest = inDays(now, maxDays);
  if (wanted !== undefined && wanted > latest) throw notOffered(`be paused for more than ${maxDays} days`);
  return wanted ?? latest;
}

/** Checks that customers may end pauses. @throws Problem 422 `pause_not_offered` */
export function requirePauses({ enabled }: PauseSettings): void {
  if (!enabled) throw notOffered('be resumed');
}

const notOffered = (what: string) =>
  unprocessable('pause_not_offered', `The subscription cannot ${what} in the portal.`);
