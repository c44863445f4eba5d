import type { EntityManager } from '@mikro-orm/postgresql';
import type { ShownState } from '@billing/contracts/events/subscriptions';
import type { Publish } from '@billing/messaging/outbox';
import type { Processor } from '@billing/processor/port';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { applyReread } from '#domain/apply-observations.ts';
import type { Reread } from '#domain/observation.ts';
import { shownByReading } from '#domain/shown-states.ts';
import { readTerms } from '#domain/subscription.ts';
import { findPriceIds, type PriceIds } from '#persistence/find-price-ids.ts';
import { lockAll } from '#persistence/locks.ts';
import { addShownStates } from '#persistence/shown-states.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeSubscription, confirmSubscription, pricesOf, recordedState } from './save-subscriptions.ts';

/** Reads a subscription from the team's processor, outside of any transaction. */
export function readSubscription({ em, processors, now }: Pick<Dependencies, 'em' | 'processors' | 'now'>) {
  return async (object: ProjectObject): Promise<Reread> => {
    const processor = await processors.of(object.scope.teamId);
    return readWith({ processor, em: em.fork(), now }, object);
  };
}

/** Does the same with a given processor. `em` is not shared. */
export async function readWith(
  { processor, em, now }: { processor: Processor } & Pick<Dependencies, 'em' | 'now'>,
  object: ProjectObject,
): Promise<Reread> {
  const rows = await subscriptionRows.find(em, [object]);
  const revision = rows.get(scopedKey(object))?.revision ?? null;
  const snapshot = await processor.findSubscription(object.id);
  return { snapshot, revision, readAt: now() };
}

/**
 * Saves what the processor returned for a recorded subscription. Returns its row, or `outdated` when the record has
 * changed since: then the processor has to be read again.
 */
export function saveReread({ now }: Pick<Dependencies, 'now'>) {
  return async (
    tx: EntityManager,
    object: ProjectObject,
    reread: Reread,
    publish: Publish,
  ): Promise<Subscription | 'outdated'> => {
    const priceIds = await findPriceIds(tx, pricesOf(object.scope, reread.snapshot));
    await lockAll(tx, 'subscription', [object]);
    const row = (await subscriptionRows.find(tx, [object])).get(scopedKey(object));
    if (!row || row.revision !== reread.revision) return 'outdated';
    const shown = await addShownStates(tx, [{ subscription: row, states: newlyShownBy(row, reread) }]);
    applyToRow(publish, row, { reread, shown: shown.get(row.id), priceIds, now: now() });
    await subscriptionRows.save(tx, [row]);
    return row;
  };
}

/** Writes a read of its current revision into a row and publishes the change, if it is one; the caller saves the row. */
export function applyToRow(
  publish: Publish,
  row: Subscription,
  {
    reread,
    ...change
  }: {
    readonly reread: Reread;
    readonly shown: readonly ShownState[] | undefined;
    readonly priceIds: PriceIds;
    readonly now: Date;
  },
): void {
  const recorded = recordedState(row);
  const state = applyReread(recorded, reread);
  if (state.terms === recorded.terms) return confirmSubscription(row, state);
  changeSubscription(publish, row, { state, ...change });
}

/** What a read of its current revision shows of a row; nothing if it changes nothing. */
export function newlyShownBy(row: Subscription, reread: Reread): ShownState[] {
  const recorded = recordedState(row);
  return applyReread(recorded, reread).terms === recorded.terms ? [] : shownBy(reread);
}

/** What a reading shows; nothing if its status is newer than this service. */
export function shownBy({ snapshot, readAt }: Reread): ShownState[] {
  if (snapshot.status === null) return [];
  return shownByReading(readTerms(snapshot, { observedAt: readAt }), readAt);
}
