import type { EntityManager } from '@mikro-orm/postgresql';
import type { SubscriptionId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { lockAll } from './locks.ts';

/** Our ids of the processor's subscriptions, by `scopedKey`. */
export type SubscriptionIds = ReadonlyMap<string, SubscriptionId>;

/** Finds our ids of the processor's subscriptions that have a record, by `scopedKey`. */
export async function findSubscriptionIds(
  em: EntityManager,
  subscriptions: readonly ProjectObject[],
): Promise<SubscriptionIds> {
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

/**
 * Does the same, and locks the subscriptions that have no record until the transaction ends. Otherwise, if one is recorded
 * at the same time, neither transaction sees what the other one writes about it.
 */
export async function findOrLockSubscriptions(
  tx: EntityManager,
  subscriptions: readonly ProjectObject[],
): Promise<SubscriptionIds> {
  const found = await findSubscriptionIds(tx, subscriptions);
  const missing = subscriptions.filter(subscription => !found.has(scopedKey(subscription)));
  if (missing.length === 0) return found;
  await lockAll(tx, 'subscription', missing);
  return new Map([...found, ...(await findSubscriptionIds(tx, missing))]);
}
