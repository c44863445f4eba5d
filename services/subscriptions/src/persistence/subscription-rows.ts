import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectObject } from '@billing/database/project-objects';
import { objectRows } from './object-rows.ts';
import { enqueueOverdue } from './overdue-schedules.ts';
import { markStatesOf } from './state-marks.ts';
import { Subscription } from './subscription.entity.ts';

/** The rows of the processor's subscriptions. */
export const subscriptionRows = objectRows(Subscription, {
  kind: 'subscription',
  processorId: 'processorSubscriptionId',
  fixed: ['processorCustomerId', 'createdAt'],
  async onSave(tx, rows) {
    await markStatesOf(tx, rows);
    await enqueueOverdue(tx, rows);
  },
});

/** Returns the processor's object that a row is the record of. */
export const toProjectObject = ({ teamId, projectId, processorSubscriptionId }: Subscription): ProjectObject => ({
  scope: { teamId, projectId },
  id: processorSubscriptionId,
});

/**
 * Enqueues what makes the schedule of a subscription follow it, where that is due: an operation that was refused saves nothing,
 * and nothing else was enqueued while it was open.
 */
export async function enqueueIfOverdue(tx: EntityManager, object: ProjectObject): Promise<void> {
  const rows = await subscriptionRows.find(tx, [object]);
  await enqueueOverdue(tx, [...rows.values()]);
}
