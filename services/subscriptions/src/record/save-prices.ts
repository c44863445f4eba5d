import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState } from '@billing/contracts/events/catalog';
import type { ProjectScope } from '@billing/contracts/ids';
import type { PlanChangeItem } from '@billing/contracts/resources/plan-change';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { savePriceCopies, type OwnedBy } from '#copies/save-copies';
import { lockAll } from '#rows/locks';
import type { Dependencies } from '../dependencies.ts';
import type { Subscription } from './subscription.entity.ts';
import { fillRows } from './fill-rows.ts';

/** A price, as an event of the catalog carries it. */
interface PublishedPrice extends OwnedBy<PriceState> {
  readonly trace: TraceCarrier;
}

/** Saves copies of prices, and gives their ids to subscriptions that were recorded before. */
export function savePrices({ now }: Pick<Dependencies, 'now'>) {
  return async (tx: EntityManager, prices: readonly PublishedPrice[], publish: Publish): Promise<void> => {
    const byKey = new Map(prices.map(price => [scopedKey(toObject(price)), price]));
    await lockAll(tx, 'price', prices.map(toObject));
    await savePriceCopies(tx, prices);
    const waiting = await findWaiting(tx, prices);
    await fillRows(tx, waiting, { fill: row => fillPriceIds(row, byKey), publish, now: now() });
  };
}

/** Finds subscriptions with an item, one of a change too, whose price had no copy. */
async function findWaiting(tx: EntityManager, prices: readonly OwnedBy<PriceState>[]): Promise<ProjectObject[]> {
  const rows = await executeBound<ProjectScope & { readonly id: string }>(
    tx,
    `select distinct subscription.team_id as "teamId", subscription.project_id as "projectId",
            subscription.processor_subscription_id as id
       from unnest($1::text[], $2::text[], $3::text[]) as price (team_id, project_id, processor_price_id)
       join subscriptions subscription
         on subscription.team_id = price.team_id and subscription.project_id = price.project_id
        and (subscription.items || coalesce(subscription.schedule #> '{change,items}', '[]')
               || coalesce(subscription.pending_change -> 'items', '[]')) @> jsonb_build_array(
              jsonb_build_object('processorPriceId', price.processor_price_id, 'priceId', null))`,
    keyColumns(prices.map(toObject)),
  );
  return rows.map(({ id, ...scope }) => ({ scope, id }));
}

/**
 * Gives ids to the items that have none, and returns one of the prices that were missing. Undefined when none was: an item
 * may have got its id before the lock was taken.
 */
function fillPriceIds(row: Subscription, prices: ReadonlyMap<string, PublishedPrice>): PublishedPrice | undefined {
  const { teamId, projectId } = row;
  let filled: PublishedPrice | undefined;
  const fill = <Item extends PlanChangeItem>(item: Item): Item => {
    const price = prices.get(scopedKey({ scope: { teamId, projectId }, id: item.processorPriceId }));
    if (item.priceId !== null || !price) return item;
    filled = price;
    return { ...item, priceId: price.state.id };
  };
  const fillChange = <Change extends { readonly items: readonly PlanChangeItem[] }>(change: Change | null) =>
    change && { ...change, items: change.items.map(fill) };
  row.items = row.items.map(fill);
  row.schedule = row.schedule && { ...row.schedule, change: fillChange(row.schedule.change) };
  row.pendingChange = fillChange(row.pendingChange);
  row.priceId = row.items[0]?.priceId ?? null;
  return filled;
}

const toObject = ({ teamId, state }: OwnedBy<PriceState>): ProjectObject => ({
  scope: { teamId, projectId: state.projectId },
  id: state.processorPriceId,
});
