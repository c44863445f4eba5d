import type { ProjectObject } from '@billing/database/project-objects';
import { objectRows } from './object-rows.ts';
import { markStatesOf } from './state-marks.ts';
import { Subscription } from './subscription.entity.ts';

/** The rows of the processor's subscriptions. */
export const subscriptionRows = objectRows(Subscription, {
  kind: 'subscription',
  processorId: 'processorSubscriptionId',
  fixed: ['processorCustomerId', 'createdAt'],
  onSave: markStatesOf,
});

/** Returns the processor's object that a row is the record of. */
export const toProjectObject = ({ teamId, projectId, processorSubscriptionId }: Subscription): ProjectObject => ({
  scope: { teamId, projectId },
  id: processorSubscriptionId,
});
