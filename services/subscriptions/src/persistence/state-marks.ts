import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';

/*
 * Which customers' states may have changed. A change adds marks in its own transaction, and whoever has one reads the state
 * once that has committed. Marks are only inserted, so that no change waits for another one.
 */

/** Somebody's state may have changed: that of one customer, or of all whom a change concerns. */
export interface StateMark extends ProjectScope {
  /** PostgreSQL's `bigint` as text. */
  readonly id: string;
  /** Null for all whom the owner, the feature, or else the grace of the project concerns. */
  readonly customerId: CustomerId | null;
}

/** What gives or is a feature, or else the project itself, since its grace concerns all that is past due. */
export interface ConcerningMany extends ProjectScope {
  /** A product or a price. */
  readonly ownerId?: string;
  readonly featureKey?: string;
}

const MARKS: LeasedTable = {
  table: 'customer_state_marks',
  key: ['id'],
  leaseSeconds: 20,
  maxPerTeam: 100,
  columns: `id, team_id as "teamId", project_id as "projectId", customer_id as "customerId"`,
};

/** Marks customers whose state a change of theirs may have changed, in the transaction of that change. */
export async function markStates(tx: EntityManager, customers: readonly ProjectObject[]): Promise<void> {
  if (customers.length === 0) return;
  await executeBound(
    tx,
    `insert into customer_state_marks (team_id, project_id, customer_id, due_at)
     select distinct team_id, project_id, id, statement_timestamp()
       from unnest($1::text[], $2::text[], $3::text[]) as changed (team_id, project_id, id)`,
    keyColumns(customers),
  );
}

/** Marks the customers of rows. */
export const markStatesOf = (
  tx: EntityManager,
  rows: readonly (ProjectScope & { readonly customerId: CustomerId })[],
): Promise<void> =>
  markStates(
    tx,
    rows.map(({ teamId, projectId, customerId: id }) => ({ scope: { teamId, projectId }, id })),
  );

/**
 * Marks all customers whom changes concern, in the transaction of the changes. Who they are is found later (`spreadMarks`):
 * in this transaction, subscriptions and grants that are recorded at the same time could not be seen.
 */
export async function markConcerned(tx: EntityManager, changes: readonly ConcerningMany[]): Promise<void> {
  if (changes.length === 0) return;
  await executeBound(
    tx,
    `insert into customer_state_marks (team_id, project_id, owner_id, feature_key, due_at)
     select distinct "teamId", "projectId", "ownerId", "featureKey", statement_timestamp()
       from json_to_recordset($1::json) as
            changed ("teamId" text, "projectId" text, "ownerId" text, "featureKey" text)`,
    [JSON.stringify(changes)],
  );
}

/** Marks the customers whose state changes by time alone until a time: something of it has ended. */
export async function markEnded(em: EntityManager, until: Date): Promise<void> {
  await executeBound(
    em,
    `with ended as (
       update customer_states set due_at = null
        where ctid = any(array(
                select ctid from customer_states where due_at <= $1 order by due_at limit 1000 for update skip locked))
       returning team_id, project_id, customer_id)
     insert into customer_state_marks (team_id, project_id, customer_id, due_at)
     select team_id, project_id, customer_id, statement_timestamp() from ended`,
    [until],
  );
}

/** Returns whether any mark is due. */
export async function hasMarks(em: EntityManager): Promise<boolean> {
  const due = 'select 1 from customer_state_marks where due_at <= statement_timestamp() limit 1';
  return (await executeBound(em, due, [])).length > 0;
}

/** Leases up to `limit` marks, of each team in turn, in the transaction that reads the states. */
export const leaseMarks = async (tx: EntityManager, limit: number): Promise<readonly StateMark[]> =>
  (await leaseRows<StateMark>(tx, MARKS, limit)).rows;

/**
 * Marks each customer whom the changes of these marks concern: who is subscribed to what gives a feature, was given it by
 * hand, or is past due.
 */
export async function spreadMarks(tx: EntityManager, marks: readonly StateMark[]): Promise<void> {
  if (marks.length === 0) return;
  await executeBound(
    tx,
    `with mark as (
       select * from customer_state_marks where id = any($1::bigint[])
     ), owner as (
       select team_id, project_id, owner_id from mark where owner_id is not null
       union
       select team_id, project_id, given.owner_id from mark join product_feature_copies given using (team_id, project_id)
        where given.key = mark.feature_key
     ), price as (
       select distinct team_id, project_id, price_copies.id from owner join price_copies using (team_id, project_id)
        where owner_id in (price_copies.id, product_id)
     ), concerned as (
       select team_id, project_id, customer_id
         from (select distinct team_id, project_id from price) priced
         join subscriptions subscription using (team_id, project_id)
        cross join lateral jsonb_to_recordset(items) as item ("priceId" text)
         join price using (team_id, project_id)
        where price.id = item."priceId" and status not in ('${ENDED_STATUSES.join(`', '`)}')
       union
       select team_id, project_id, given.customer_id from mark join grant_copies given using (team_id, project_id)
        where given.key = mark.feature_key
       union
       select team_id, project_id, subscription.customer_id
         from mark join subscriptions subscription using (team_id, project_id)
        where coalesce(mark.owner_id, mark.feature_key) is null and status = 'past_due')
     insert into customer_state_marks (team_id, project_id, customer_id, due_at)
     select team_id, project_id, customer_id, statement_timestamp() from concerned`,
    [marks.map(({ id }) => id)],
  );
}

/** Deletes marks, in the transaction that has read the states. */
export async function deleteMarks(tx: EntityManager, marks: readonly StateMark[]): Promise<void> {
  await executeBound(tx, `delete from customer_state_marks where id = any($1::bigint[])`, [marks.map(({ id }) => id)]);
}
