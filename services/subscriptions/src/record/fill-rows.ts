import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import type { ProjectObject } from '@billing/database/project-objects';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { subscriptionRows } from './subscription-rows.ts';
import { toState, type Subscription } from './subscription.entity.ts';
import { saveSubscriptions, type SavedSubscription } from './save.ts';

interface Filling {
  /** Gives the row ids that it lacks; returns where the newest is from, or undefined when it lacks none. */
  readonly fill: (row: Subscription) => { readonly trace: TraceCarrier } | undefined;
  readonly publish: Publish;
  readonly now: Date;
}

/** Gives subscriptions ids of the catalog that became known after they were recorded. */
export async function fillRows(
  tx: EntityManager,
  waiting: readonly ProjectObject[],
  { fill, publish, now }: Filling,
): Promise<void> {
  await subscriptionRows.lock(tx, waiting);
  const rows = await subscriptionRows.find(tx, waiting);
  const filled: SavedSubscription[] = [];
  for (const row of rows.values()) {
    const before = toState(row);
    const from = fill(row);
    if (from) filled.push({ row, before, source: { at: now, cause: CAUSED_BY_SYSTEM, trace: from.trace } });
  }
  await saveSubscriptions(tx, publish, filled, now);
}
