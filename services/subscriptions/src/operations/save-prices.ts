import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState } from '@billing/contracts/events/catalog';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import type { PriceId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import { executeBound } from '@billing/service/bound-statement';
import { savePriceCopies, type OwnedBy } from '#persistence/copies.ts';
import { lockAll } from '#persistence/locks.ts';
import { scopedKey, type ProcessorObject } from '#persistence/processor-object.ts';
import { findSubscriptionRows, updateSubscriptions } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { publishChange } from './save-subscriptions.ts';

/** Saves copies of prices, and gives their ids to subscriptions that were recorded before. */
export function savePrices({ now }: Pick<Dependencies, 'now'>) {
  return async (tx: EntityManager, prices: readonly OwnedBy<PriceState>[], publish: Publish): Promise<void> => {
    const priceIds = new Map(prices.map(price => [scopedKey(toObject(price)), price.state.id]));
    await lockAll(tx, 'price', prices.map(toObject));
    await savePriceCopies(tx, prices);
    const waiting = await findWaiting(tx, prices);
    await lockAll(tx, 'subscription', waiting);
    const rows = await findSubscriptionRows(tx, waiting);
    const changed = [...rows.values()].filter(row => fillPriceIds(row, priceIds));
    for (const row of changed) publishChange(publish, row, { now: now() });
    await updateSubscriptions(tx, changed);
  };
}

/** Finds subscriptions with an item whose price had no copy. */
async function findWaiting(tx: EntityManager, prices: readonly OwnedBy<PriceState>[]): Promise<ProcessorObject[]> {
  const rows = await executeBound<{ team_id: TeamId; project_id: ProjectId; id: string }>(
    tx,
    `select distinct subscription.team_id, subscription.project_id, subscription.processor_subscription_id as id
       from unnest($1::text[], $2::text[], $3::text[]) as price (team_id, project_id, processor_price_id)
       join subscriptions subscription
         on subscription.team_id = price.team_id and subscription.project_id = price.project_id
        and subscription.items @> jsonb_build_array(
              jsonb_build_object('processorPriceId', price.processor_price_id, 'priceId', null))`,
    [
      prices.map(({ teamId }) => teamId),
      prices.map(({ state }) => state.projectId),
      prices.map(({ state }) => state.processorPriceId),
    ],
  );
  return rows.map(({ team_id: teamId, project_id: projectId, id }) => ({ scope: { teamId, projectId }, id }));
}

/** Returns whether an item was still without its price's id; it may have got it before the lock was taken. */
function fillPriceIds(row: Subscription, priceIds: ReadonlyMap<string, PriceId>): boolean {
  const { teamId, projectId } = row;
  const fill = (item: BilledItem): BilledItem => {
    if (item.priceId) return item;
    const priceId = priceIds.get(scopedKey({ scope: { teamId, projectId }, id: item.processorPriceId }));
    return priceId ? { ...item, priceId } : item;
  };
  const items = row.items.map(fill);
  if (items.every((item, index) => item === row.items[index])) return false;
  row.items = items;
  row.priceId = items[0]?.priceId ?? null;
  return true;
}

const toObject = ({ teamId, state }: OwnedBy<PriceState>): ProcessorObject => ({
  scope: { teamId, projectId: state.projectId },
  id: state.processorPriceId,
});
