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
