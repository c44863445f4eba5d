import type { EntityManager } from '@mikro-orm/postgresql';
import type { SubscriptionId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { objectRows } from './object-rows.ts';
import { Subscription } from './subscription.entity.ts';

/** The rows of the processor's subscriptions. */
export const subscriptionRows = objectRows(Subscription, {
  processorId: 'processorSubscriptionId',
  fixed: ['customerId', 'processorCustomerId', 'createdAt'],
});

/** Finds our ids of the processor's subscriptions that have a record, by `scopedKey`. */
export async function findSubscriptionIds(
  em: EntityManager,
  subscriptions: readonly ProjectObject[],
): Promise<ReadonlyMap<string, SubscriptionId>> {
  if (subscriptions.length === 0) return new Map();
  const found = await executeBound<{ place: number; id: SubscriptionId }>(
    em,
    `select wanted.place::int, subscription.id
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality
              as wanted (team_id, project_id, processor_id, place)
       join subscriptions subscription
         on subscription.processor_subscription_id = wanted.processor_id
        and (subscription.team_id, subscription.project_id) is not distinct from (wanted.team_id, wanted.project_id)`,
    [
      subscriptions.map(({ scope }) => scope.teamId),
      subscriptions.map(({ scope }) => scope.projectId),
      subscriptions.map(({ id }) => id),
    ],
  );
  return new Map(
    found.flatMap(({ place, id }) => {
      const subscription = subscriptions[place - 1];
      return subscription ? [[scopedKey(subscription), id] as const] : [];
    }),
  );
}

/** Returns the processor's object that a row is the record of. */
export const toProjectObject = ({ teamId, projectId, processorSubscriptionId }: Subscription): ProjectObject => ({
  scope: { teamId, projectId },
  id: processorSubscriptionId,
});
