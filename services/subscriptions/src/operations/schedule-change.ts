import { randomUUID } from 'node:crypto';
import type { ProjectScope, SubscriptionChangeId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { isRefusedPromotionCode, isUnknownOutcome, ProcessorError } from '@billing/processor/errors';
import type { NewPhase, PlanChange, WantedDiscount } from '@billing/processor/plan-changes';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import type { PhaseDiscount, ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import {
  basisOf,
  followedOf,
  followedPlan,
  isOurs,
  periodOf,
  plannedCodes,
  plannedPhases,
  readManagingSchedule,
  redeemedCodes,
  removedDiscountsOf,
  scheduleMetadata,
} from '#domain/schedule.ts';
import type { PlannedChange } from './planned-change.ts';

/** A change that is to be made at the end of the period. */
interface ScheduledChange extends Pick<PlannedChange, 'phaseItems'> {
  readonly changeId: SubscriptionChangeId;
  readonly change: Pick<PlanChange, 'discounts'>;
}

/** A write to the processor: of which project, and under which idempotency key. */
interface Write {
  readonly scope: ProjectScope;
  readonly key: string;
}

/**
 * Schedules a change of a subscription, in place of one that is scheduled. A schedule that we have made and that could not get
 * its phases is released again.
 * @throws ProcessorError after a refusal, also when somebody else's schedule manages the subscription; Problem `unavailable`
 */
export async function scheduleChange(
  processor: Processor,
  snapshot: SubscriptionSnapshot,
  { changeId, phaseItems: items, change: { discounts } }: ScheduledChange,
  { scope, key }: Write,
): Promise<SubscriptionSnapshot> {
  const { id } = snapshot;
  const schedule = await openSchedule(processor, snapshot, key);
  const current = await processor.findAsPhase(id);
  const planned = { items, discounts: discounts?.map(toPhaseDiscount) ?? current.discounts };
  const phases = plannedPhases(current, periodOf(snapshot, schedule), planned);
  const followed = followedOf(snapshot);
  const removedDiscountIds = discounts?.length === 0 ? followed.discountIds : [];
  const made = { id: changeId, from: basisOf(followed), removedDiscountIds };
  try {
    await setPhases(processor, schedule.id, phases, { metadata: scheduleMetadata(scope, made), key });
  } catch (err) {
    if (err instanceof ProcessorError) await undo(processor, schedule.id, key);
    throw err;
  }
  return processor.findSubscription(id);
}

/**
 * Makes a scheduled change of ours follow what its subscription has become: it is released after another plan or its own has
 * taken effect, and else carries quantities, discounts and settings as they are by now. `redeemed` are promotion codes that a
 * change has just redeemed, even if its invoice has used them up. Returns the subscription afterwards.
 */
export async function settleSchedule(
  processor: Processor,
  snapshot: SubscriptionSnapshot,
  { scope, key }: Write,
  redeemed: readonly string[] = [],
): Promise<SubscriptionSnapshot> {
  const { id, schedule } = snapshot;
  const change = readManagingSchedule(snapshot, null)?.change;
  if (!schedule || !change) return snapshot;
  const current = followedOf(snapshot);
  const planned = followedPlan(schedule, {
    ...current,
    discounts: current.discountIds.map(discountId => toPhaseDiscount({ discountId })),
    redeemed: [...redeemedCodes(snapshot), ...redeemed],
  });
  if (!planned) return dropSchedule(processor, snapshot, key);
  const phases = plannedPhases(await processor.findAsPhase(id), periodOf(snapshot, schedule), planned);
  const kept = { id: change.id, from: basisOf(current), ...removedDiscountsOf(schedule) };
  try {
    await setPhases(processor, schedule.id, phases, { metadata: scheduleMetadata(scope, kept), key });
  } catch (err) {
    const codes = plannedCodes(schedule);
    if (!isRefusedPromotionCode(err) || codes.every(code => redeemed.includes(code))) throw err;
    // What else is planned does not wait for a code that can't be redeemed any more.
    return settleSchedule(processor, snapshot, { scope, key }, [...redeemed, ...codes]);
  }
  return processor.findSubscription(id);
}

/**
 * Does the same after a change that is made: what the processor then refuses of the schedule does not take the change back, and
 * is done again by the operation that follows the subscription.
 */
export async function settleAfterChange(
  processor: Processor,
  made: SubscriptionSnapshot,
  write: Write,
  redeemed?: readonly string[],
): Promise<SubscriptionSnapshot> {
  try {
    return await settleSchedule(processor, made, write, redeemed);
  } catch (err) {
    if (err instanceof ProcessorError && !isUnknownOutcome(err)) return made;
    throw err;
  }
}

/** Releases the schedule of ours that manages a subscription, if one does. Returns the subscription afterwards. */
export async function dropSchedule(
  processor: Processor,
  snapshot: SubscriptionSnapshot,
  key: string,
): Promise<SubscriptionSnapshot> {
  const { id, schedule } = snapshot;
  if (!schedule || !isOurs(schedule)) return snapshot;
  await releaseSchedule(processor, schedule.id, `${key}:release`);
  return processor.findSubscription(id);
}

/** Returns our schedule of the subscription, or a new one. A repeat under the same key finds the one that it has created. */
async function openSchedule(
  processor: Processor,
  snapshot: SubscriptionSnapshot,
  key: string,
): Promise<ScheduleSnapshot> {
  const { id, schedule, currentPeriodStart } = snapshot;
  const change = readManagingSchedule(snapshot, null)?.change;
  if (schedule && change && change.effectiveAt > currentPeriodStart) return schedule;
  if (schedule && change) await releaseSchedule(processor, schedule.id, `${key}:release`);
  try {
    return await processor.createSchedule(id, `${key}:create`);
  } catch (err) {
    // The subscription had none when this began, and takes no second one.
    if (!isUnknownOutcome(err)) throw err;
    const { schedule: created } = await processor.findSubscription(id).catch((cause: unknown) => {
      throw unfinished(cause);
    });
    if (created) return created;
    throw err;
  }
}

/** Replaces all phases of a schedule: that may be sent any number of times, and with others when the subscription has changed. */
const setPhases = (
  processor: Processor,
  id: string,
  phases: readonly NewPhase[],
  { metadata, key }: { readonly metadata: Readonly<Record<string, string>>; readonly key: string },
): Promise<ScheduleSnapshot> => processor.setPhases(id, phases, metadata, `${key}:${randomUUID()}`);

/**
 * Releases a schedule that has not got its phases. Only this operation knows that it is ours.
 * @throws Problem `unavailable` when that fails: then the operation goes on later
 */
async function undo(processor: Processor, id: string, key: string): Promise<void> {
  try {
    if (!isOurs(await processor.findSchedule(id))) await releaseSchedule(processor, id, `${key}:undo`);
  } catch (err) {
    throw unfinished(err);
  }
}

const unfinished = (cause: unknown) =>
  unavailable('The payment processor has not finished this change; it is finished later.', 5, { cause });

/** Releases a schedule, unless it has ended meanwhile; that may be sent any number of times. */
export async function releaseSchedule(processor: Processor, id: string, key: string): Promise<void> {
  try {
    await processor.releaseSchedule(id, `${key}:${randomUUID()}`);
  } catch (err) {
    if (!(err instanceof ProcessorError)) throw err;
    const { status } = await processor.findSchedule(id);
    if (status === 'active' || status === 'not_started') throw err;
  }
}

export const toPhaseDiscount = (wanted: WantedDiscount): PhaseDiscount => ({
  discountId: null,
  couponId: null,
  promotionCodeId: null,
  ...wanted,
});

/** Returns the promotion codes that a change redeems. */
export const redeemedBy = ({ discounts = [] }: Pick<PlanChange, 'discounts'>): string[] =>
  discounts.flatMap(one => ('promotionCodeId' in one ? one.promotionCodeId : []));
