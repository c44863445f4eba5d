import type { EntityManager } from '@mikro-orm/postgresql';
import { insertIfIdle, type NewOperation } from '@billing/processor/operation-log/operation-rows';
import { isOverdue } from '#domain/schedule.ts';
import type { Subscription } from './subscription.entity.ts';

/** The kind of operation that makes schedules follow their subscriptions. */
export const FOLLOW_SUBSCRIPTION = 'follow-subscription';

/**
 * Enqueues what makes the schedules of planned changes follow their subscriptions, in the transaction that saves these. An
 * operation that is open on a subscription saves it again at its end.
 */
export async function enqueueOverdue(tx: EntityManager, rows: readonly Subscription[]): Promise<void> {
  const overdue = rows.filter(({ schedule, currentPeriodStart, items }) => {
    const change = schedule?.change;
    return change && isOverdue({ ...change, effectiveAt: new Date(change.effectiveAt) }, { currentPeriodStart, items });
  });
  await insertIfIdle(
    tx,
    overdue.map(row => followingOf(row, String(row.revision))),
  );
}

/** Returns the operation that makes the schedule of a subscription follow it; once for the same cause. */
export function followingOf(
  { id, teamId, projectId, processorSubscriptionId, revision }: Subscription,
  cause: string,
): NewOperation {
  const input = { processorSubscriptionId, revision };
  return { key: `${id}:follow:${cause}`, kind: FOLLOW_SUBSCRIPTION, teamId, projectId, resourceId: id, input };
}
