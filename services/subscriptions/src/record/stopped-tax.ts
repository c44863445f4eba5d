import type { EntityManager } from '@mikro-orm/postgresql';
import { BillingDetailsUpdated } from '@billing/contracts/events/billing-details';
import { recordFilter } from '@billing/contracts/events/record-event';
import type { TeamId } from '@billing/contracts/ids';
import { MAX_COUNTED } from '@billing/contracts/pagination';
import { executeBound } from '@billing/database/bound-statement';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { insertIfIdle, type NewOperation } from '@billing/processor/operation-log/operation-rows';
import type { Subscription } from './subscription.entity.ts';

/** The kind of operation that turns automatic tax on again. */
export const RESTART_TAX = 'restart-tax';

/** A row whose tax is to start again, and the number of what its customer's billing details tell. */
type Stopped = Pick<Subscription, 'id' | 'teamId' | 'projectId' | 'processorSubscriptionId' | 'version'> & {
  readonly told: number;
};

/** Enqueues what starts the tax of subscriptions again; once for each version and location, of which one may be refused. */
const enqueueRestarts = (tx: EntityManager, rows: readonly Stopped[]): Promise<void> =>
  insertIfIdle(
    tx,
    rows.map(({ id, teamId, projectId, processorSubscriptionId, version, told }): NewOperation => {
      const input = { processorSubscriptionId, version };
      return { key: `${id}:tax:${version}:${told}`, kind: RESTART_TAX, teamId, projectId, resourceId: id, input };
    }),
  );

/**
 * Enqueues that for those of saved subscriptions whose tax has stopped although the customer is recognized by now: the event of the
 * stop may come after that of the address.
 */
export async function enqueueLateRestarts(tx: EntityManager, rows: readonly Subscription[]): Promise<void> {
  const stopped = rows.filter(row => row.taxStoppedReason !== null && row.endedAt === null);
  if (stopped.length === 0) return;
  const recognized = await executeBound<{ id: string; told: number }>(
    tx,
    `select customer_id as id, sequence as told from tax_locations
      where customer_id = any($1::text[]) and team_id = any($2::text[]) and location = 'recognized'`,
    [stopped.map(({ customerId }) => customerId), stopped.map(({ teamId }) => teamId)],
  );
  const toldOf = new Map(recognized.map(it => [it.id, it.told]));
  await enqueueRestarts(
    tx,
    stopped.flatMap(({ id, teamId, projectId, processorSubscriptionId, version, customerId }) => {
      const told = toldOf.get(customerId);
      return told === undefined ? [] : { id, teamId, projectId, processorSubscriptionId, version, told };
    }),
  );
}

/** Follows where customers are taxed: once a customer is recognized, the tax starts again that the processor had stopped. */
export const billingDetailsEvents = (): Consumer =>
  consumer('subscriptions-billing-details', recordFilter('customer-billing-details')).on(
    BillingDetailsUpdated,
    async (tx, deliveries) => {
      const told = deliveries.map(({ teamId, data: { customerId, projectId, taxLocation, change: made } }) => {
        const sequence = made?.sequence ?? 0;
        return { customer_id: customerId, team_id: teamId, project_id: projectId, location: taxLocation, sequence };
      });
      const newest = [...Map.groupBy(told, it => it.customer_id).values()].map(it =>
        it.reduce((a, b) => (b.sequence > a.sequence ? b : a)),
      );
      const rows = await executeBound<Stopped>(
        tx,
        `with told as (
           select * from json_to_recordset($1::json)
             as (customer_id text, team_id text, project_id text, location text, sequence int)),
         saved as (
           insert into tax_locations as known (customer_id, team_id, project_id, location, sequence)
           select * from told
               on conflict (customer_id) do update set location = excluded.location, sequence = excluded.sequence
            where known.team_id = excluded.team_id and known.sequence < excluded.sequence
           returning *)
         select row.id, row.team_id as "teamId", row.project_id as "projectId", row.version,
                row.processor_subscription_id as "processorSubscriptionId", saved.sequence as told
           from subscriptions row
           join saved using (customer_id, team_id, project_id)
          where saved.location = 'recognized' and row.tax_stopped_reason is not null and row.ended_at is null
          order by row.id`,
        [JSON.stringify(newest)],
      );
      await enqueueRestarts(tx, rows);
    },
  );

/** Counts the team's living subscriptions whose tax the processor stopped, no further than lists do. */
export async function countStoppedTax(em: EntityManager, teamId: TeamId): Promise<number> {
  const [row] = await executeBound<{ count: number }>(
    em,
    `select count(*)::int as count
       from (select from subscriptions
              where team_id = $1 and tax_stopped_reason is not null and ended_at is null limit $2) stopped`,
    [teamId, MAX_COUNTED],
  );
  return row?.count ?? 0;
}
