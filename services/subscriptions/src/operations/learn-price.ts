import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState } from '@billing/contracts/events/catalog';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import type { PriceId, TeamId } from '@billing/contracts/ids';
import { keepPrice } from '#persistence/copies.ts';
import { lock } from '#persistence/locks.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import { tellChange } from './keep-subscription.ts';

/** Keeps a price, and names it in the subscriptions that were heard of before it. */
export async function learnPrice(tx: EntityManager, teamId: TeamId, price: PriceState): Promise<void> {
  const { projectId, processorPriceId } = price;
  const scope = { teamId, projectId };
  await lock(tx, scope, 'price', processorPriceId);
  await keepPrice(tx, teamId, price);
  const nameless = await tx.execute<{ processor_subscription_id: string }[]>(
    `select processor_subscription_id from subscriptions
      where team_id = ? and project_id = ? and items @> ?::jsonb order by processor_subscription_id`,
    [teamId, projectId, JSON.stringify([{ processorPriceId, priceId: null }])],
  );
  for (const { processor_subscription_id: processorSubscriptionId } of nameless) {
    await lock(tx, scope, 'subscription', processorSubscriptionId);
    const row = await tx.findOneOrFail(Subscription, { teamId, projectId, processorSubscriptionId });
    if (namePrice(row, processorPriceId, price.id)) tellChange(tx, row);
  }
}

/** Whether there was still something to name; the items may have changed before the lock was had. */
function namePrice(row: Subscription, processorPriceId: string, priceId: PriceId): boolean {
  const isNameless = (item: BilledItem) => item.processorPriceId === processorPriceId && item.priceId === null;
  if (!row.items.some(isNameless)) return false;
  row.items = row.items.map(item => (isNameless(item) ? { ...item, priceId } : item));
  row.priceId = row.items[0]?.priceId ?? null;
  return true;
}
