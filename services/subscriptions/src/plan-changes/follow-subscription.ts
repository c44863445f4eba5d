import { randomUUID } from 'node:crypto';
import type { ProjectScope } from '@billing/contracts/ids';
import { isRefusedPromotionCode, isUnknownOutcome, nullIfMissing, ProcessorError } from '@billing/processor/errors';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { NewPhase, PlanChange, WantedDiscount } from '@billing/processor/plan-changes';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import type { PhaseDiscount } from '@billing/processor/snapshots/schedule';
import { changeInput, followingKind } from '#record/change-at-processor';
import type { Reread } from '#record/observation.rules';
import {
  basisOf,
  followedOf,
  followedPlan,
  isOurs,
  isOverdue,
  periodOf,
  plannedCodes,
  plannedPhases,
  readManagingSchedule,
  redeemedCodes,
  removedDiscountsOf,
  scheduleMetadata,
} from '#record/schedule.rules';
import { FOLLOW_SUBSCRIPTION } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';

type Input = ReturnType<typeof changeInput.parse>;

/** A write to the processor: of which project, and under which idempotency key. */
interface Write {
  readonly scope: ProjectScope;
  readonly key: string;
}

/**
 * Makes the schedule of a planned change follow its subscription: it is released once the change has taken effect, or another
 * plan was taken now, and else has the discounts, the payment method, the tax and the end of the period that the subscription has
 * by now. Whatever saves a record for which that is due enqueues it (`enqueueOverdue`).
 */
export function followSubscriptionKind(
  dependencies: Pick<Dependencies, 'now'>,
): OperationKind<Input, Reread, Subscription> {
  return followingKind(
    {
      name: FOLLOW_SUBSCRIPTION,
      input: changeInput,
      async send(processor, { teamId, projectId, input, idempotencyKey: key }) {
        const current = await processor.findSubscription(input.processorSubscriptionId);
        // What is written there leads to events; an old one that was recorded is no reason to write.
        if (isDone(current)) return current;
        return settleSchedule(processor, current, { scope: { teamId, projectId }, key });
      },
      isDone,
    },
    dependencies,
  );
}

function isDone(snapshot: SubscriptionSnapshot): boolean {
  const change = readManagingSchedule(snapshot, null)?.change;
  return !change || !isOverdue(change, followedOf(snapshot));
}

/**
 * Makes a scheduled change of ours follow what its subscription has become: it is released after another plan or its own has
 * taken effect, and else carries quantities, discounts and settings as they are by now. `redeemed` are promotion codes that a
 * change has just redeemed, even if its invoice has used them up. Returns the subscription afterwards.
 */
async function settleSchedule(
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

/** Replaces all phases of a schedule: that may be sent any number of times, and with others when the subscription has changed. */
export async function setPhases(
  processor: Processor,
  id: string,
  phases: readonly NewPhase[],
  { metadata, key }: { readonly metadata: Readonly<Record<string, string>>; readonly key: string },
): Promise<void> {
  await processor.setPhases(id, phases, metadata, `${key}:${randomUUID()}`);
}

/** Releases a schedule, unless it has ended or gone meanwhile; that may be sent any number of times. */
export async function releaseSchedule(processor: Processor, id: string, key: string): Promise<void> {
  try {
    await processor.releaseSchedule(id, `${key}:${randomUUID()}`);
  } catch (err) {
    if (!(err instanceof ProcessorError)) throw err;
    const found = await processor.findSchedule(id).catch(nullIfMissing);
    if (found?.status === 'active' || found?.status === 'not_started') throw err;
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
