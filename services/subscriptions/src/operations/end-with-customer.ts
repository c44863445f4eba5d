import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { canceledAt, ENDED_STATUSES } from '#domain/subscription.ts';
import { lock } from '#persistence/locks.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import { findPriceIds } from './find-price-ids.ts';
import { changeSubscription, knownOf } from './keep-subscription.ts';

/**
 * Ends the subscriptions of a customer that was deleted at the processor, which cancels them there at once. The
 * processor's own word on each may come before or after, and then counts.
 */
export async function endWithCustomer(
  tx: EntityManager,
  scope: ProjectScope,
  processorCustomerId: string,
  deletedAt: Date,
): Promise<void> {
  const { teamId, projectId } = scope;
  const running = await tx.find(
    Subscription,
    { teamId, projectId, processorCustomerId, status: { $nin: [...ENDED_STATUSES] } },
    { orderBy: { processorSubscriptionId: 'asc' } },
  );
  const prices = running.flatMap(row => row.items.map(item => item.processorPriceId));
  const priceIds = await findPriceIds(tx, scope, prices);
  for (const row of running) {
    await lock(tx, scope, 'subscription', row.processorSubscriptionId);
    await tx.refresh(row);
    const { terms, asOf, readAt } = knownOf(row);
    if (terms.endedAt) continue;
    changeSubscription(tx, row, { terms: canceledAt(terms, deletedAt), source: { asOf, readAt }, priceIds });
  }
}
