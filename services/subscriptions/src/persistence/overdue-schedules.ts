import type { EntityManager } from '@mikro-orm/postgresql';
import { insertIfIdle, type NewOperation } from '@billing/processor/operation-log/operation-rows';
import { isOverdue } from '#domain/schedule.ts';
import type { Subscription } from './subscription.entity.ts';

/** The kind of operation that makes schedules follow their subscriptions. */
export const FOLLOW_SUBSCRIPTION = 'follow-subscription';

/**
 * Enqueues what makes the schedules of planned changes follow their subscriptions, in the transaction that saves these. An
 * operation that is open on a subscription saves it again at its end, or enqueues it once it is refused.
 */
export const enqueueOverdue = (tx: EntityManager, rows: readonly Subscription[]): Promise<void> =>
  insertIfIdle(tx, rows.filter(hasOverdueSchedule).map(followingOf));

function hasOverdueSchedule({ schedule, discounts, ...row }: Subscription): boolean {
  const change = schedule?.change;
  if (!change) return false;
  const discountIds = discounts.map(it => it.processorDiscountId);
  return isOverdue({ ...change, effectiveAt: new Date(change.effectiveAt) }, { ...row, discountIds });
}

/** Returns the operation that makes the schedule of a subscription follow it; once for each revision. */
function followingOf({ id, teamId, projectId, processorSubscriptionId, revision }: Subscription): NewOperation {
  const input = { processorSubscriptionId, revision };
  return { key: `${id}:follow:${revision}`, kind: FOLLOW_SUBSCRIPTION, teamId, projectId, resourceId: id, input };
}
