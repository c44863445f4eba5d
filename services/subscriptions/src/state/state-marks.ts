import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { teamsWithWork } from '@billing/database/lease-rows';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';

/*
 * Which customers' states may have changed. A change adds marks in its own transaction, and whoever has one reads the state
 * once that has committed. Marks are only inserted, so that no change waits for another one.
 */

/** What gives or is a feature, or else the project itself, since its settings concern all that is past due or paused. */
export interface ConcerningMany extends ProjectScope {
  /** A product or a price. */
  readonly ownerId?: string;
  readonly featureKey?: string;
}

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
 * Marks all customers whom changes concern, in the transaction of the changes. Who they are is found later (`spreadPage`):
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

/** Rows of one team whose time has come, in one statement: others have their turn. */
const ENDED_OF_TEAM = 500;

/** Marks the customers whose state changes by time alone until a time: something of it has ended. Teams take turns. */
export async function markEnded(em: EntityManager, until: Date): Promise<void> {
  await executeBound(
    em,
    `with recursive ${teamsWithWork('customer_states')},
     first as (
       select due.row_at
         from teams cross join lateral (
                select ctid as row_at from customer_states
                 where team_id = teams.team_id and due_at <= $1 order by due_at limit ${ENDED_OF_TEAM}
                   for update skip locked) due),
     ended as (
       update customer_states set due_at = null where ctid = any(array(select row_at from first))
       returning team_id, project_id, customer_id)
     insert into customer_state_marks (team_id, project_id, customer_id, due_at)
     select team_id, project_id, customer_id, statement_timestamp() from ended`,
    [until],
  );
}
