import type { EntityManager } from '@mikro-orm/postgresql';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { inProjects, scopedKey } from '@billing/database/project-objects';
import { canceledAt } from '#domain/subscription.ts';
import { saveDeletions, type DeletedCustomer } from '#persistence/find-customers.ts';
import { findPriceIds } from '#persistence/find-price-ids.ts';
import { lockAll } from '#persistence/locks.ts';
import { subscriptionRows, toProjectObject } from '#persistence/subscription-rows.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeSubscription, recordedState } from './save-subscriptions.ts';

interface TracedDeletion extends DeletedCustomer {
  readonly trace: TraceCarrier;
}

/**
 * Cancels the subscriptions of customers that were deleted at the processor, which cancels them there at once. The events
 * about each subscription may come before or after, and then apply; one that becomes known later ends too.
 * @throws Error when a subscription is recorded meanwhile; then the deletion is to be handled again
 */
export function cancelWithCustomers({ now }: Pick<Dependencies, 'now'>) {
  return async (tx: EntityManager, customers: readonly TracedDeletion[], publish: Publish): Promise<void> => {
    const running = await findRunning(tx, customers);
    await cancelAll(tx, running, customers, publish);
    await saveDeletions(tx, customers);
    if ((await findRunning(tx, customers)).length > 0)
      throw new Error('A subscription of a deleted customer was recorded meanwhile.');
  };

  async function cancelAll(
    tx: EntityManager,
    running: readonly Subscription[],
    customers: readonly TracedDeletion[],
    publish: Publish,
  ): Promise<void> {
    if (running.length === 0) return;
    const subscriptions = running.map(toProjectObject);
    const prices = running.flatMap(({ teamId, projectId, items }) =>
      items.map(item => ({ scope: { teamId, projectId }, id: item.processorPriceId })),
    );
    const priceIds = await findPriceIds(tx, prices);
    await lockAll(tx, 'subscription', subscriptions);
    const rows = await subscriptionRows.find(tx, subscriptions);

    const deletions = new Map(customers.map(customer => [scopedKey(customer), customer]));
    const canceled: Subscription[] = [];
    for (const row of rows.values()) {
      const { teamId, projectId, processorCustomerId } = row;
      const deletion = deletions.get(scopedKey({ scope: { teamId, projectId }, id: processorCustomerId }));
      const recorded = recordedState(row);
      if (!deletion || recorded.terms.endedAt) continue;
      const state = { ...recorded, terms: canceledAt(recorded.terms, deletion.deletedAt) };
      changeSubscription(publish, row, { state, priceIds, now: now(), trace: deletion.trace });
      canceled.push(row);
    }
    await subscriptionRows.save(tx, canceled);
  }
}

function findRunning(tx: EntityManager, customers: readonly DeletedCustomer[]): Promise<Subscription[]> {
  return tx.find(
    Subscription,
    { ...inProjects('processorCustomerId', customers), status: { $nin: [...ENDED_STATUSES] } },
    { disableIdentityMap: true },
  );
}
