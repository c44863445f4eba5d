import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectObject } from '@billing/database/project-objects';
import { insertDue } from '@billing/processor/operation-log/operation-rows';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import type { Reread } from '#domain/observation.ts';
import { isOverdue, itemsOf, readManagingSchedule } from '#domain/schedule.ts';
import { FOLLOW_SUBSCRIPTION, followingOf } from '#persistence/overdue-schedules.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeInput, plainChangeKind } from './change-at-processor.ts';
import { settleSchedule } from './schedule-change.ts';

type Input = ReturnType<typeof changeInput.parse>;

/**
 * Makes the schedule of a planned change follow its subscription: it is released once the change has taken effect, or another
 * plan was taken now. Whatever saves a record for which that is due enqueues it (`enqueueOverdue`).
 */
export function followSubscriptionKind({ now }: Pick<Dependencies, 'now'>): OperationKind<Input, Reread, Subscription> {
  const kind = plainChangeKind(
    {
      name: FOLLOW_SUBSCRIPTION,
      input: changeInput,
      async send(processor, { teamId, projectId, input, idempotencyKey: key }) {
        const current = await processor.findSubscription(input.processorSubscriptionId);
        return settleSchedule(processor, current, { scope: { teamId, projectId }, key });
      },
      isDone(snapshot) {
        const change = readManagingSchedule(snapshot, null)?.change;
        return !change || !isOverdue(change, { ...snapshot, items: itemsOf(snapshot) });
      },
    },
    { now },
  );
  return {
    ...kind,
    commit: (tx, operation, response, publish) => kind.commit(tx, operation, response, publish, CAUSED_BY_SYSTEM),
    mustSucceed: true,
  };
}

/**
 * Enqueues that for a subscription whose settings have changed, which its record does not show.
 * @throws UniqueConstraintViolationException when another operation on the subscription is open
 */
export async function followSettings(em: EntityManager, object: ProjectObject, cause: string): Promise<void> {
  const rows = await subscriptionRows.find(em, [object]);
  const planned = [...rows.values()].filter(({ schedule }) => schedule?.change);
  await insertDue(
    em,
    planned.map(row => followingOf(row, cause)),
  );
}
