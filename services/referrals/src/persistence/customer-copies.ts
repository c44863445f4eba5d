import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { CustomerCopy } from './customer-copy.entity.ts';

/** Saves the states of customers that are newer than their copies. `subscribed_at` does not change. */
export async function saveCustomerCopies(
  em: EntityManager,
  customers: readonly (CustomerState & { readonly teamId: TeamId })[],
): Promise<void> {
  const rows = customers.map(({ teamId, projectId, id, processorCustomerId, version, deletedAt }) => {
    return { teamId, projectId, id, processorCustomerId, version, deletedAt };
  });
  await executeBound(
    em,
    // Sorted: transactions that lock many rows lock them in the same order.
    `insert into customer_copies (team_id, project_id, id, processor_customer_id, version, deleted_at)
     select distinct on ("teamId", "projectId", id)
            "teamId", "projectId", id, "processorCustomerId", version, "deletedAt"
       from json_to_recordset($1::json) as
            c ("teamId" text, "projectId" text, id text, "processorCustomerId" text, version int, "deletedAt" timestamptz)
      order by "teamId", "projectId", id, version desc
     on conflict (team_id, project_id, id) do update
        set processor_customer_id = excluded.processor_customer_id,
            version = excluded.version, deleted_at = excluded.deleted_at
      where customer_copies.version < excluded.version`,
    [JSON.stringify(rows)],
  );
}

/**
 * Locks the row of a customer that has a copy until the transaction ends.
 * @throws Problem 404 `customer_not_found` when the customer was deleted meanwhile
 */
export async function lockCustomer(tx: EntityManager, scope: ProjectScope, id: CustomerId): Promise<CustomerCopy> {
  const customer = await tx.findOne(CustomerCopy, { ...scope, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!customer || customer.deletedAt) throw notFound('customer');
  return customer;
}

/** What a customer's subscriptions say. */
export interface Subscriber extends ProjectScope {
  readonly customerId: CustomerId;
  readonly subscribedAt: Date;
  /** When the subscription started, if it is or was active or trialing. */
  readonly activeStartedAt: Date | null;
}

/**
 * Notes that customers have subscribed, and locks their rows until the transaction ends. Creates a row for a customer
 * without a copy; the earliest subscription and the latest start of an active one stay.
 */
export async function saveSubscribers(tx: EntityManager, subscribers: readonly Subscriber[]): Promise<void> {
  const rows = subscribers.map(({ teamId, projectId, customerId, subscribedAt, activeStartedAt }) => {
    return { teamId, projectId, customerId, subscribedAt, activeStartedAt };
  });
  await executeBound(
    tx,
    // Sorted: transactions that lock many rows lock them in the same order.
    `insert into customer_copies (team_id, project_id, id, version, subscribed_at, active_started_at)
     select "teamId", "projectId", "customerId", 0, min("subscribedAt"), max("activeStartedAt")
       from json_to_recordset($1::json) as
            s ("teamId" text, "projectId" text, "customerId" text, "subscribedAt" timestamptz, "activeStartedAt" timestamptz)
      group by 1, 2, 3 order by 1, 2, 3
     on conflict (team_id, project_id, id) do update
        set subscribed_at = least(customer_copies.subscribed_at, excluded.subscribed_at),
            active_started_at = greatest(customer_copies.active_started_at, excluded.active_started_at)`,
    [JSON.stringify(rows)],
  );
}
