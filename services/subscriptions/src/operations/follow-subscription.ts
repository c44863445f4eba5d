import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import type { Reread } from '#domain/observation.ts';
import { followedOf, isOverdue, readManagingSchedule } from '#domain/schedule.ts';
import { FOLLOW_SUBSCRIPTION } from '#persistence/overdue-schedules.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeInput, plainChangeKind } from './change-at-processor.ts';
import { settleSchedule } from './schedule-change.ts';

type Input = ReturnType<typeof changeInput.parse>;

/**
 * Makes the schedule of a planned change follow its subscription: it is released once the change has taken effect, or another
 * plan was taken now, and else has the discounts, the payment method and the end of the period that the subscription has by
 * now. Whatever saves a record for which that is due enqueues it (`enqueueOverdue`).
 */
export function followSubscriptionKind({ now }: Pick<Dependencies, 'now'>): OperationKind<Input, Reread, Subscription> {
  const kind = plainChangeKind(
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
    { now },
  );
  return {
    ...kind,
    commit: (tx, operation, response, publish) => kind.commit(tx, operation, response, publish, CAUSED_BY_SYSTEM),
    mustSucceed: true,
  };
}

function isDone(snapshot: SubscriptionSnapshot): boolean {
  const change = readManagingSchedule(snapshot, null)?.change;
  return !change || !isOverdue(change, followedOf(snapshot));
}
