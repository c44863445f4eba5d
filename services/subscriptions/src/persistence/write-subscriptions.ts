import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/service/bound-statement';
import type { Subscription } from './subscription.entity.ts';

/** What stays as it was at first sight. */
const FIXED_COLUMNS = [
  'id',
  'team_id',
  'project_id',
  'customer_id',
  'processor_subscription_id',
  'processor_customer_id',
  'orders',
  'created_at',
];
/** What the processor's events change. */
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
  'as_of',
  'as_of_rank',
  'as_of_event',
  'read_at',
  'updated_at',
];

/** Writes what events changed on many subscriptions, in the caller's transaction, which holds their locks. */
export async function updateSubscriptions(tx: EntityManager, subscriptions: readonly Subscription[]): Promise<void> {
  if (subscriptions.length === 0) return;
  await executeBound(
    tx,
    `update subscriptions kept set ${COLUMNS.map(column => `${column} = next.${column}`).join(', ')}
       from json_populate_recordset(null::subscriptions, $1::json) next
      where kept.id = next.id
        -- Not by "=", or the planner may find each row by reading all of its project's.
        and (kept.team_id, kept.project_id) is not distinct from (next.team_id, next.project_id)`,
    [JSON.stringify(subscriptions.map(toRow))],
  );
}

/** Writes many new subscriptions, in the caller's transaction, which holds their locks. */
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
    orders: it.orders,
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
    as_of: it.asOf,
    as_of_rank: it.asOfRank,
    as_of_event: it.asOfEvent,
    read_at: it.readAt,
    updated_at: it.updatedAt,
  };
}
