import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { Subscription } from './subscription.entity.ts';

/** Columns that never change. */
const FIXED_COLUMNS = [
  'id',
  'team_id',
  'project_id',
  'customer_id',
  'processor_subscription_id',
  'processor_customer_id',
  'created_at',
];
/** Columns that the processor's events change. */
const COLUMNS = [
  'price_id',
  'status',
  'quantity',
  'cancel_at_period_end',
  'cancel_at',
  'items',
  'current_period_start',
  'current_period_end',
  'trial_end',
  'started_at',
  'ended_at',
  'metadata',
  'version',
  'event_at',
  'event_rank',
  'event_id',
  'read_at',
  'updated_at',
];

/**
 * Finds the rows of the processor's subscriptions, by `scopedKey`. The unit of work does not track them: the functions
 * below write them.
 */
export async function findSubscriptionRows(
  em: EntityManager,
  objects: readonly ProjectObject[],
): Promise<Map<string, Subscription>> {
  if (objects.length === 0) return new Map();
  const where = inProjects('processorSubscriptionId', objects);
  const rows = await em.find(Subscription, where, { disableIdentityMap: true });
  return new Map(rows.map(row => [scopedKey(toProjectObject(row)), row]));
}

/** Returns the processor's object that a row is the record of. */
export const toProjectObject = ({ teamId, projectId, processorSubscriptionId }: Subscription): ProjectObject => ({
  scope: { teamId, projectId },
  id: processorSubscriptionId,
});

/** Updates rows in one statement, in the caller's transaction, which holds the subscriptions' locks. */
export async function updateSubscriptions(tx: EntityManager, subscriptions: readonly Subscription[]): Promise<void> {
  if (subscriptions.length === 0) return;
  await executeBound(
    tx,
    `update subscriptions existing set ${COLUMNS.map(column => `${column} = next.${column}`).join(', ')}
       from json_populate_recordset(null::subscriptions, $1::json) next
      where existing.id = next.id
        -- With "=" the planner may read all rows of the project to find each one.
        and (existing.team_id, existing.project_id) is not distinct from (next.team_id, next.project_id)`,
    [JSON.stringify(subscriptions.map(toRow))],
  );
}

/** Inserts rows in one statement, in the caller's transaction, which holds the subscriptions' locks. */
export async function insertSubscriptions(tx: EntityManager, subscriptions: readonly Subscription[]): Promise<void> {
  if (subscriptions.length === 0) return;
  const columns = [...FIXED_COLUMNS, ...COLUMNS].join(', ');
  await executeBound(
    tx,
    `insert into subscriptions (${columns})
     select ${columns} from json_populate_recordset(null::subscriptions, $1::json)`,
    [JSON.stringify(subscriptions.map(toNewRow))],
  );
}

function toNewRow(it: Subscription) {
  return {
    ...toRow(it),
    customer_id: it.customerId,
    processor_subscription_id: it.processorSubscriptionId,
    processor_customer_id: it.processorCustomerId,
    created_at: it.createdAt,
  };
}

function toRow(it: Subscription) {
  return {
    id: it.id,
    team_id: it.teamId,
    project_id: it.projectId,
    price_id: it.priceId,
    status: it.status,
    quantity: it.quantity,
    cancel_at_period_end: it.cancelAtPeriodEnd,
    cancel_at: it.cancelAt,
    items: it.items,
    current_period_start: it.currentPeriodStart,
    current_period_end: it.currentPeriodEnd,
    trial_end: it.trialEnd,
    started_at: it.startedAt,
    ended_at: it.endedAt,
    metadata: it.metadata,
    version: it.version,
    event_at: it.eventAt,
    event_rank: it.eventRank,
    event_id: it.eventId,
    read_at: it.readAt,
    updated_at: it.updatedAt,
  };
}
