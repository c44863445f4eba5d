import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectScope, TeamId } from '@billing/contracts/ids';

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

/**
 * Notes that a customer has subscribed, known or not, and holds the row until the transaction ends. The first time
 * stays.
 */
export async function keepSubscribed(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: CustomerId,
  subscribedAt: Date,
): Promise<void> {
  await tx.execute(
    `insert into customers (team_id, project_id, id, version, subscribed_at) values (?, ?, ?, 0, ?::timestamptz)
     on conflict (team_id, project_id, id) do update
        set subscribed_at = least(customers.subscribed_at, excluded.subscribed_at)`,
    [teamId, projectId, id, subscribedAt.toISOString()],
  );
}
