import type { SubscriptionChangeId } from '@billing/contracts/ids';
import { Problem, unprocessable } from '@billing/contracts/problem';
import {
  PAYMENT_BEHAVIORS,
  planChangeItem,
  PRORATIONS,
  type PlanChange as RequestedChange,
  type PlanChangePreview,
} from '@billing/contracts/resources/plan-change';
import { namedChange } from '@billing/processor/metadata';
import type { WantedDiscount } from '@billing/processor/plan-changes';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import type { ChangedItem } from '#record/pending-change.rules';
import { itemsOf, planOf, readManagingSchedule } from '#record/schedule.rules';
import { requireRunning } from '#record/subscription.rules';
import {
  changedItems,
  directionOf,
  firstPaidInterval,
  newInterval,
  toChangeItems,
  toPhaseItems,
  type Cadence,
  type WantedItem,
} from './items.rules.ts';

/** How long the figures of a preview are accepted. */
const PREVIEW_LIFETIME_MS = 15 * 60_000;

/** How far the clocks of the processor's own servers may differ. */
const CLOCK_TOLERANCE_MS = 10_000;

/** The most keys that metadata have. https://docs.stripe.com/api/metadata */
const MAX_KEYS = 50;

const item = z.object({
  id: z.string().exactOptional(),
  priceId: z.string().exactOptional(),
  quantity: z.int().exactOptional(),
});
const discount = z.union([
  z.object({ discountId: z.string() }),
  z.object({ couponId: z.string() }),
  z.object({ promotionCodeId: z.string() }),
]);

/** A change as it is sent, however often: what the operation log stores of it. */
export const decision = z.object({
  when: z.enum(['now', 'period_end']),
  effectiveAt: z.coerce.date(),
  /** All that the subscription will bill. */
  items: z.array(planChangeItem).readonly(),
  /** The same as a phase of a schedule names them: usage has no quantity. */
  phaseItems: z.array(z.object({ priceId: z.string(), quantity: z.int().nullable() })).readonly(),
  /** In the words of the port, without the payment. */
  change: z.object({
    items: z.array(item).readonly().exactOptional(),
    removedItemIds: z.array(z.string()).readonly().exactOptional(),
    proration: z.enum(PRORATIONS),
    prorationDate: z.coerce.date().exactOptional(),
    resetsAnchor: z.boolean().exactOptional(),
    endsTrial: z.boolean().exactOptional(),
    discounts: z.array(discount).readonly().exactOptional(),
  }),
  paymentBehavior: z.enum([...PAYMENT_BEHAVIORS, 'allow_incomplete']),
  /** Whether the change is named in the metadata, by which it is found again. */
  isMarked: z.boolean(),
  /** Before the change: another one afterwards is that of the change. */
  latestInvoiceId: z.string().nullable(),
  /** Whether another change waits for that invoice: it is voided first. */
  replacesPending: z.boolean(),
});
export type Decision = z.output<typeof decision>;

/** What is decided, and what a preview shows of it. */
export interface DecidedChange extends Omit<Decision, 'paymentBehavior'> {
  readonly direction: PlanChangePreview['direction'];
  /** Whether the invoice of the change does not depend on the second in which it is made. */
  readonly exact: boolean;
  /** What the figures count from, in whole seconds; null unless `exact`. */
  readonly prorationDate: Date | null;
  /** Until when these figures are accepted. */
  readonly expiresAt: Date;
  /** The interval that a change at the end of the period begins; null when it goes on with what there is. */
  readonly nextInterval: Cadence | null;
}

/** All that decides about a change. */
interface Facts {
  readonly snapshot: SubscriptionSnapshot;
  readonly wanted: readonly WantedItem[];
  /** All discounts that it is to have; undefined when they stay. */
  readonly discounts?: readonly WantedDiscount[] | undefined;
  readonly request: Pick<RequestedChange, 'when' | 'proration' | 'prorationDate' | 'trial' | 'billingCycle'>;
  /** The processor's time; of a subscription on a test clock its frozen time. */
  readonly now: Date;
}

/**
 * Checks that the plan of a subscription can change in the state that it is in. A pause of payments is a pause: the new plan would
 * be given without payment.
 * @throws Problem 422 `subscription_ended`, `subscription_incomplete`, `subscription_paused`, `subscription_past_due`
 */
export function requireChangeable({ status, pauseCollection }: SubscriptionSnapshot): void {
  if (status !== null) requireRunning(status);
  if (status === 'incomplete')
    throw unprocessable('subscription_incomplete', 'The first payment of the subscription is not made yet.');
  if (status === 'paused' || pauseCollection !== null)
    throw unprocessable('subscription_paused', 'The subscription is paused; resume it first.');
  if (status === 'past_due' || status === 'unpaid') {
    const message = 'An invoice of the subscription is not paid; it has to be paid first.';
    throw unprocessable('subscription_past_due', message);
  }
}

/**
 * Decides how a change is made: when, from which second on, and what is sent to the processor. Specification of plan changes, the
 * table of fields.
 * @throws Problem 422 `no_change`, `subscription_set_to_cancel`; 409 `preview_expired`
 */
export function decideChange({ snapshot, wanted, discounts, request, now }: Facts): DecidedChange {
  const changed = changedItems(snapshot.items, wanted);
  const changesItems = changed.items.length + changed.removedItemIds.length > 0;
  const isTrial = snapshot.status === 'trialing';
  const endsTrial = isTrial && request.trial === 'end';
  const restarts = !isTrial && request.billingCycle === 'restart';
  if (!changesItems && !discounts && !endsTrial && !restarts)
    throw unprocessable('no_change', 'The subscription is already as it is to become.');

  const direction = directionOf(snapshot, wanted);
  const interval = newInterval(snapshot, wanted);
  const begins = interval ?? firstPaidInterval(snapshot, wanted);
  const whenFalling = direction === 'down' || interval?.isShorter ? 'period_end' : 'now';
  const when = endsTrial || restarts ? 'now' : request.when === 'auto' ? whenFalling : request.when;
  if (when === 'period_end' && snapshot.cancelAtPeriodEnd) {
    const message = 'The subscription is set to end: resume it first, or change it now.';
    throw unprocessable('subscription_set_to_cancel', message);
  }

  const beginsPeriod = when === 'now' && !isTrial && (begins !== null || restarts);
  const proration = when === 'period_end' || isTrial ? 'none' : (request.proration ?? 'always_invoice');
  const countsFrom = toSecond(request.prorationDate ? requireFresh(request.prorationDate, snapshot, now) : now);
  const prorationDate = within(snapshot, countsFrom);
  const isPinned = changesItems && proration !== 'none' && !beginsPeriod;
  return {
    direction,
    when,
    effectiveAt: when === 'now' ? toSecond(now) : snapshot.currentPeriodEnd,
    exact: !beginsPeriod,
    prorationDate: beginsPeriod ? null : prorationDate,
    expiresAt: new Date((beginsPeriod ? toSecond(now) : countsFrom).getTime() + PREVIEW_LIFETIME_MS),
    nextInterval: when === 'period_end' ? begins : null,
    items: toChangeItems(wanted),
    phaseItems: toPhaseItems(wanted),
    change: {
      ...changed,
      proration,
      ...(isPinned && { prorationDate }),
      ...(beginsPeriod && { resetsAnchor: true }),
      ...(endsTrial && { endsTrial: true }),
      ...(discounts && { discounts }),
    },
    // A schedule has metadata of its own.
    isMarked: when === 'period_end' || canBeMarked(snapshot),
    latestInvoiceId: snapshot.latestInvoiceId,
    replacesPending: snapshot.pendingUpdate !== null,
  };
}

/**
 * Checks that the date of a preview is neither too old nor outside of the period.
 * @throws Problem 409 `preview_expired`
 */
function requireFresh(date: Date, { currentPeriodStart, currentPeriodEnd }: SubscriptionSnapshot, now: Date): Date {
  const age = now.getTime() - date.getTime();
  const isInPeriod = toSecond(date) >= currentPeriodStart && date <= currentPeriodEnd;
  if (isInPeriod && age <= PREVIEW_LIFETIME_MS && age >= -CLOCK_TOLERANCE_MS) return date;
  const message =
    'The `prorationDate` is older than 15 minutes, or outside of the current period; preview the change again.';
  throw new Problem('conflict', 'preview_expired', message);
}

/** Returns a time, or the end of the current period that is next to it: the processor takes no others. */
function within({ currentPeriodStart, currentPeriodEnd }: SubscriptionSnapshot, time: Date): Date {
  if (time < currentPeriodStart) return currentPeriodStart;
  return time > currentPeriodEnd ? currentPeriodEnd : time;
}

const toSecond = (time: Date): Date => new Date(Math.floor(time.getTime() / 1_000) * 1_000);

/** Returns whether a change can be named in the subscription's metadata: there is room, and the key is not the tenant's own. */
export function canBeMarked({ metadata }: Pick<SubscriptionSnapshot, 'metadata'>): boolean {
  if (Object.hasOwn(metadata, 'changeId')) return namedChange(metadata) !== undefined;
  return Object.keys(metadata).length < MAX_KEYS;
}

/** How a change is known when its response is lost. */
export interface KnownBy extends Pick<Decision, 'isMarked' | 'latestInvoiceId' | 'replacesPending'> {
  readonly changeId: SubscriptionChangeId;
  /** All that the subscription is to bill. */
  readonly items: readonly ChangedItem[];
  readonly change: Pick<Decision['change'], 'items' | 'removedItemIds'>;
}

/**
 * Returns what became of a change: it applied, waits for its payment, or is scheduled; null when the subscription shows nothing
 * of it. It is known by its mark, which is in the metadata of the pending update while that waits, and in those of the schedule;
 * one without by its items, and by its invoice.
 */
export function outcomeOf(snapshot: SubscriptionSnapshot, change: KnownBy): 'applied' | 'pending' | 'scheduled' | null {
  if (readManagingSchedule(snapshot, null)?.change?.id === change.changeId) return 'scheduled';
  const { pendingUpdate, metadata, latestInvoiceId } = snapshot;
  if (change.isMarked) {
    if (pendingUpdate && namedChange(pendingUpdate.metadata) === change.changeId) return 'pending';
    return namedChange(metadata) === change.changeId ? 'applied' : null;
  }
  const hasNewInvoice = latestInvoiceId !== change.latestInvoiceId;
  const isWanted = (items: readonly ChangedItem[]) => planOf(items) === planOf(change.items);
  if (pendingUpdate) {
    const items = pendingUpdate.items.map(it => ({ processorPriceId: it.priceId ?? '', quantity: it.quantity ?? 1 }));
    return hasNewInvoice && isWanted(items) ? 'pending' : null;
  }
  const { items: changed = [], removedItemIds: removed = [] } = change.change;
  const isShown = hasNewInvoice || changed.length + removed.length > 0;
  return isShown && isWanted(itemsOf(snapshot)) ? 'applied' : null;
}

/** Returns the invoices of a subscription that a change has made, or has voided. One that is scheduled has made none so far. */
export function invoicesOf(snapshot: SubscriptionSnapshot, change: KnownBy): readonly string[] {
  const { latestInvoiceId: before, replacesPending } = change;
  const { latestInvoiceId: latest } = snapshot;
  const isOther = latest === before || outcomeOf(snapshot, change) === 'scheduled';
  return [replacesPending ? before : null, isOther ? null : latest].filter(id => id !== null);
}
