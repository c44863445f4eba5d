import type { ProjectScope, SubscriptionChangeId } from '@billing/contracts/ids';
import { changedMeanwhile, unavailable } from '@billing/contracts/problem';
import type { ProjectObject } from '@billing/database/project-objects';
import {
  isMissing,
  isRefused,
  isUnknownOutcome,
  nullIfMissing,
  paymentFailureOf,
  ProcessorError,
} from '@billing/processor/errors';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import type { ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import { voidIfOpen } from '#money/void-if-open';
import { readInvoiceOf, type InvoiceRead } from '#money/read-invoice';
import type { Reread } from '#record/observation.rules';
import { readWith } from '#record/read-subscription';
import {
  basisOf,
  followedOf,
  isOurs,
  itemsOf,
  periodOf,
  planOf,
  plannedPhases,
  readManagingSchedule,
  scheduleMetadata,
} from '#record/schedule.rules';
import type { Dependencies } from '../dependencies.ts';
import { invoicesOf, outcomeOf, type Decision } from './decide.rules.ts';
import { redeemedBy, releaseSchedule, setPhases, settleAfterChange, toPhaseDiscount } from './follow-subscription.ts';

/** A decision under which a change is sent, however often, and how it is known. */
interface SentChange extends Decision {
  readonly changeId: SubscriptionChangeId;
  readonly idempotencyKey: string;
}

/** The subscription that is read or changed, and with what. */
interface Place extends Pick<Dependencies, 'em' | 'now'> {
  readonly processor: Processor;
  readonly object: ProjectObject;
}

/** A subscription and invoices of it, as the processor has them after a change. */
export interface ChangedAtProcessor {
  readonly reread: Reread;
  readonly invoices: readonly InvoiceRead[];
}

/**
 * Makes a change at the processor as it was decided, now or at the end of the period; one that shows there already is not made
 * again. A change that waits for its payment is voided first. After a payment that failed for good nothing is left of it, no open
 * invoice either. A change that is scheduled gives way to another plan, and follows another quantity, once that has applied.
 * @throws ProcessorError after a refusal, also when somebody else's schedule manages the subscription; Problem 409 `conflict`,
 * `unavailable`
 */
export async function sendChange(place: Place, sent: SentChange): Promise<ChangedAtProcessor> {
  const { processor, em, now, object } = place;
  const before = await readWith({ processor, em: em.fork(), now }, object);
  const isShown = sent.isMarked && outcomeOf(before.snapshot, sent) !== null;
  if (!isShown) await voidPending(processor, before.snapshot, sent);
  const make = sent.when === 'now' ? changeNow : changeAtPeriodEnd;
  const made = isShown ? before.snapshot : await make(place, before.snapshot, sent);
  const isApplied = outcomeOf(made, sent) === 'applied';
  const write = { scope: object.scope, key: sent.idempotencyKey };
  const snapshot = isApplied ? await settleAfterChange(processor, made, write, redeemedBy(sent.change)) : made;
  const invoices = await readInvoices(place, invoicesOf(snapshot, sent));
  return { reread: { ...before, snapshot, readAt: now() }, invoices };
}

/** Reads a subscription at the processor, and those of its invoices that `invoicesIn` names. */
export async function readChanged(
  place: Place,
  invoicesIn: (snapshot: SubscriptionSnapshot) => readonly string[],
): Promise<ChangedAtProcessor> {
  const reread = await readWith({ ...place, em: place.em.fork() }, place.object);
  return { reread, invoices: await readInvoices(place, invoicesIn(reread.snapshot)) };
}

const readInvoices = ({ processor, em, object }: Place, ids: readonly string[]): Promise<InvoiceRead[]> =>
  Promise.all(ids.map(id => readInvoiceOf(processor, { ...object, id }, em.fork())));

/** Voids the invoice of another change that waits for it. */
async function voidPending(processor: Processor, before: SubscriptionSnapshot, sent: SentChange): Promise<void> {
  const { pendingUpdate, latestInvoiceId } = before;
  const waits = pendingUpdate !== null && outcomeOf(before, sent) === null;
  if (!waits || latestInvoiceId === null) return;
  const status = await voidIfOpen(processor, latestInvoiceId, `${sent.idempotencyKey}:void`);
  if (status === 'paid') throw changedMeanwhile();
}

async function changeNow(
  { processor }: Place,
  { id, latestInvoiceId }: SubscriptionSnapshot,
  { changeId, change, paymentBehavior, isMarked, idempotencyKey }: SentChange,
): Promise<SubscriptionSnapshot> {
  const metadata = isMarked ? { metadata: { changeId } } : {};
  try {
    return await processor.changeSubscription(id, { ...change, paymentBehavior, ...metadata }, idempotencyKey);
  } catch (err) {
    if (paymentFailureOf(err)) await dropLeftInvoice(processor, { id, latestInvoiceId }, idempotencyKey);
    else if (isRefused(err)) await requireSamePeriod(processor, id, change);
    throw err;
  }
}

/**
 * Checks, after a refusal, that the period goes on whose rest a change prorates.
 * @throws Problem 409 `conflict`
 */
async function requireSamePeriod(
  processor: Processor,
  id: string,
  { prorationDate }: SentChange['change'],
): Promise<void> {
  if (!prorationDate) return;
  const { currentPeriodStart } = await processor.findSubscription(id);
  if (prorationDate < currentPeriodStart) throw changedMeanwhile();
}

/** Voids the invoice of a change whose payment failed, if the processor has left it open; never that of a renewal meanwhile. */
async function dropLeftInvoice(
  processor: Processor,
  { id, latestInvoiceId: before }: Pick<SubscriptionSnapshot, 'id' | 'latestInvoiceId'>,
  idempotencyKey: string,
): Promise<void> {
  const { latestInvoiceId: latest } = await processor.findSubscription(id);
  if (latest === null || latest === before) return;
  const { billingReason } = await processor.findInvoice(latest);
  if (billingReason === 'subscription_update') await voidIfOpen(processor, latest, `${idempotencyKey}:left`);
}

/** How often a period may end while a change is being scheduled. */
const MAX_PERIODS = 3;

/**
 * Schedules a change, in place of one that is scheduled. If the period ends meanwhile, it is planned again for the next end. A
 * schedule of ours that could not get its phases is released again.
 */
async function changeAtPeriodEnd(
  { processor, object: { scope } }: Place,
  before: SubscriptionSnapshot,
  sent: SentChange,
): Promise<SubscriptionSnapshot> {
  const { id } = before;
  let snapshot = before;
  let schedule: ScheduleSnapshot | null = null;
  for (let period = 1; ; period += 1) {
    // A repeat finds the schedules of each period again, in order.
    const key = period === 1 ? sent.idempotencyKey : `${sent.idempotencyKey}:${period}`;
    schedule = await openSchedule(processor, snapshot, { key, opened: schedule });
    try {
      await planPhases(processor, { snapshot, schedule }, { ...sent, scope, key });
      return await processor.findSubscription(id);
    } catch (err) {
      if (!(err instanceof ProcessorError)) throw err;
      const current = isRefused(err) && period < MAX_PERIODS ? await readUnderWay(processor, id) : snapshot;
      const hasEnded = current.currentPeriodEnd > snapshot.currentPeriodEnd || current.scheduleId !== schedule.id;
      const isAsDecided = planOf(itemsOf(current)) === planOf(itemsOf(before));
      if (!hasEnded || !isAsDecided || current === snapshot) {
        await undo(processor, schedule.id, key);
        if (isAsDecided && !(await isGone(processor, schedule.id, err))) throw err;
        throw changedMeanwhile({ cause: err });
      }
      snapshot = current;
    }
  }
}

/** Whether a call failed because somebody has ended the schedule meanwhile. */
const isGone = async (processor: Processor, scheduleId: string, err: unknown): Promise<boolean> =>
  isMissing(err) && (await processor.findSchedule(scheduleId).catch(nullIfMissing)) === null;

/** Gives a schedule the phases of a change at the end of the period in which the subscription was read. */
async function planPhases(
  processor: Processor,
  { snapshot, schedule }: { readonly snapshot: SubscriptionSnapshot; readonly schedule: ScheduleSnapshot },
  {
    changeId,
    phaseItems: items,
    change,
    scope,
    key,
  }: SentChange & { readonly scope: ProjectScope; readonly key: string },
): Promise<void> {
  const current = await processor.findAsPhase(snapshot.id);
  const followed = followedOf(snapshot);
  // Those that count once may be used up by the period that began meanwhile.
  const wanted = change.discounts
    ?.map(toPhaseDiscount)
    .filter(({ discountId }) => discountId === null || followed.discountIds.includes(discountId));
  const phases = plannedPhases(current, periodOf(snapshot, schedule), {
    items,
    discounts: wanted ?? current.discounts,
  });
  const removedDiscountIds = change.discounts?.length === 0 ? followed.discountIds : [];
  const metadata = scheduleMetadata(scope, { id: changeId, from: basisOf(followed), removedDiscountIds });
  await setPhases(processor, schedule.id, phases, { metadata, key });
}

/**
 * Returns our schedule of the subscription, or a new one. A repeat under the same key finds the one that it has created, and the
 * next period goes on with what was `opened`, unless that has ended.
 */
async function openSchedule(
  processor: Processor,
  snapshot: SubscriptionSnapshot,
  { key, opened }: { readonly key: string; readonly opened: ScheduleSnapshot | null },
): Promise<ScheduleSnapshot> {
  const { id, schedule, currentPeriodStart } = snapshot;
  const change = readManagingSchedule(snapshot, null)?.change;
  if (schedule && schedule.id === opened?.id && !change) return schedule;
  if (schedule && change && change.effectiveAt > currentPeriodStart) return schedule;
  if (schedule && change) await releaseSchedule(processor, schedule.id, `${key}:release`);
  try {
    return await processor.createSchedule(id, `${key}:create`);
  } catch (err) {
    // The subscription had none when this began, and takes no second one.
    if (!isUnknownOutcome(err)) throw err;
    const { schedule: created } = await readUnderWay(processor, id);
    if (created) return created;
    throw err;
  }
}

/** Reads a subscription of which only this operation knows that a schedule is ours. @throws Problem `unavailable` */
const readUnderWay = (processor: Processor, id: string): Promise<SubscriptionSnapshot> =>
  processor.findSubscription(id).catch((cause: unknown) => {
    throw unfinished(cause);
  });

/**
 * Releases a schedule that has not got its phases. Only this operation knows that it is ours.
 * @throws Problem `unavailable` when that fails: then the operation goes on later
 */
async function undo(processor: Processor, id: string, key: string): Promise<void> {
  try {
    const found = await processor.findSchedule(id).catch(nullIfMissing);
    if (found && !isOurs(found)) await releaseSchedule(processor, id, `${key}:undo`);
  } catch (err) {
    throw unfinished(err);
  }
}

const unfinished = (cause: unknown) =>
  unavailable('The payment processor has not finished this change; it is finished later.', 5, { cause });
