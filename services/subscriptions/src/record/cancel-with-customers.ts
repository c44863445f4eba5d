import type { EntityManager } from '@mikro-orm/postgresql';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { Publish } from '@billing/messaging/outbox';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { EventPosition } from '@billing/processor/event-order';
import type { Source } from '@billing/service/save-record';
import { saveDeletions, type DeletedCustomer } from '#copies/find-customers';
import { findCatalogIds } from '#copies/find-catalog-ids';
import type { Dependencies } from '../dependencies.ts';
import { laterPosition } from './observation.rules.ts';
import { canceledAt } from './subscription.rules.ts';
import { subscriptionRows, toProjectObject } from './subscription-rows.ts';
import { Subscription, toState } from './subscription.entity.ts';
import { assignState, recordedInCatalog, recordedState } from './recorded-state.ts';
import { saveSubscriptions, type SavedSubscription } from './save.ts';

interface Deletion extends DeletedCustomer {
  readonly source: Source;
}

/**
 * Cancels the subscriptions of customers that were deleted at the processor, which cancels them there at once. The events
 * about each subscription may come before or after, and then apply; one that becomes known later ends too.
 * @throws Error when a subscription is recorded meanwhile; then the deletion is to be handled again
 */
export function cancelWithCustomers({ now }: Pick<Dependencies, 'now'>) {
  return async (tx: EntityManager, customers: readonly Deletion[], publish: Publish): Promise<void> => {
    const running = await findRunning(tx, 'processorCustomerId', customers);
    const deletions = new Map(customers.map(customer => [scopedKey(customer), customer]));
    const deletionOf = ({ teamId, projectId, processorCustomerId }: Subscription) =>
      deletions.get(scopedKey({ scope: { teamId, projectId }, id: processorCustomerId }));
    await cancelAll(tx, running, { deletionOf, publish, now: now() });
    await saveDeletions(tx, customers);
    if ((await findRunning(tx, 'processorCustomerId', customers)).length > 0)
      throw new Error('A subscription of a deleted customer was recorded meanwhile.');
  };
}

/** A subscription that a sync found to be gone. */
interface GoneSubscription extends Deletion {
  readonly position: EventPosition;
}

/** Cancels subscriptions that the processor does not have any more, and whose last state nobody knows. */
export function cancelGone({ now }: Pick<Dependencies, 'now'>) {
  return async (tx: EntityManager, gone: readonly GoneSubscription[], publish: Publish): Promise<void> => {
    const running = await findRunning(tx, 'processorSubscriptionId', gone);
    const deletions = new Map(gone.map(subscription => [scopedKey(subscription), subscription]));
    const deletionOf = (row: Subscription) => deletions.get(scopedKey(toProjectObject(row)));
    await cancelAll(tx, running, { deletionOf, publish, now: now() });
  };
}

interface Cancellation {
  readonly deletionOf: (row: Subscription) => (Deletion & Partial<GoneSubscription>) | undefined;
  readonly publish: Publish;
  readonly now: Date;
}

async function cancelAll(
  tx: EntityManager,
  running: readonly Subscription[],
  { deletionOf, publish, now }: Cancellation,
): Promise<void> {
  if (running.length === 0) return;
  const subscriptions = running.map(toProjectObject);
  const catalogIds = await findCatalogIds(tx, running.flatMap(recordedInCatalog));
  await subscriptionRows.lock(tx, subscriptions);
  const rows = await subscriptionRows.find(tx, subscriptions);

  const canceled: SavedSubscription[] = [];
  for (const row of rows.values()) {
    const deletion = deletionOf(row);
    const [before, recorded] = [toState(row), recordedState(row)];
    if (!deletion || recorded.terms.endedAt) continue;
    const { deletedAt, position = null, source } = deletion;
    const terms = canceledAt(recorded.terms, deletedAt);
    const state = { ...recorded, terms, position: laterPosition(recorded.position, position) };
    assignState(row, { recorded, state }, catalogIds);
    canceled.push({ row, before, source });
  }
  await saveSubscriptions(tx, publish, canceled, now);
}

function findRunning(
  tx: EntityManager,
  idColumn: 'processorCustomerId' | 'processorSubscriptionId',
  objects: readonly ProjectObject[],
): Promise<Subscription[]> {
  return tx.find(
    Subscription,
    { ...inProjects(idColumn, objects), status: { $nin: [...ENDED_STATUSES] } },
    { disableIdentityMap: true },
  );
}
