import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';

/** Keeps a customer's state if it is newer than the copy; what is known of subscriptions stays. */
export async function keepCustomer(em: EntityManager, teamId: TeamId, state: CustomerState): Promise<void> {
  const { projectId, id, processorCustomerId, version, deletedAt } = state;
  await em.execute(
    `insert into customers (team_id, project_id, id, processor_customer_id, version, deleted_at)
     values (?, ?, ?, ?, ?, ?::timestamptz)
     on conflict (team_id, project_id, id) do update
        set processor_customer_id = excluded.processor_customer_id,
            version = excluded.version, deleted_at = excluded.deleted_at
      where customers.version < excluded.version`,
    [teamId, projectId, id, processorCustomerId, version, deletedAt?.toISOString() ?? null],
  );
}

/** When a customer subscribed. */
export interface Subscriber extends ProjectScope {
  readonly customerId: CustomerId;
  readonly subscribedAt: Date;
}

/**
 * Notes that customers have subscribed, known or not, and holds their rows until the transaction ends. The first time
 * stays.
 */
export async function keepSubscribed(tx: EntityManager, subscribers: readonly Subscriber[]): Promise<void> {
  if (subscribers.length === 0) return;
  await executeBound(
    tx,
    // Transactions that hold many rows take them in the same order.
    `insert into customers (team_id, project_id, id, version, subscribed_at)
     select "teamId", "projectId", "customerId", 0, min("subscribedAt")
       from json_to_recordset($1::json) as
            s ("teamId" text, "projectId" text, "customerId" text, "subscribedAt" timestamptz)
      group by 1, 2, 3 order by 1, 2, 3
     on conflict (team_id, project_id, id) do update
        set subscribed_at = least(customers.subscribed_at, excluded.subscribed_at)`,
    [
      JSON.stringify(
        subscribers.map(({ teamId, projectId, customerId, subscribedAt }) => ({
          teamId,
          projectId,
          customerId,
          subscribedAt,
        })),
      ),
    ],
  );
}
