import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import type { ProjectObject } from '@billing/database/project-objects';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import { publishChange } from './save-subscriptions.ts';
import { told } from './tell-tenants.ts';

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
  const changed: Subscription[] = [];
  for (const row of rows.values()) {
    const before = told.subscription.toJson(row);
    const filled = fill(row);
    if (!filled) continue;
    const { trace } = filled;
    publishChange(publish, row, { trace });
    told.subscription.tell(publish, row, { before, now, at: now, cause: CAUSED_BY_SYSTEM, trace });
    changed.push(row);
  }
  await subscriptionRows.save(tx, changed);
}
