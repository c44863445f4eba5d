import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { EVENT_DATA } from '@billing/contracts/resources/event-data';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';
import type { z } from 'zod';

/** A state as its event carries it. */
export type StateData = z.input<typeof EVENT_DATA.customer_state>;

/** The state that tenants were last told of a customer; a customer that never had anything has none. */
export interface ToldState extends ProjectScope {
  readonly customerId: CustomerId;
  /** How many events there were. */
  sequence: number;
  readonly state: StateData;
  /** When time alone takes something away next. */
  readonly dueAt: Date | null;
}

/** Finds what tenants were last told of customers, by customer. */
export async function findToldStates(
  em: EntityManager,
  customers: readonly ProjectObject[],
): Promise<ReadonlyMap<CustomerId, ToldState>> {
  const rows = await executeBound<ToldState>(
    em,
    `select team_id as "teamId", project_id as "projectId", customer_id as "customerId", sequence, state, due_at as "dueAt"
       from customer_states
       join unnest($1::text[], $2::text[], $3::text[]) as wanted (team_id, project_id, customer_id)
            using (team_id, project_id, customer_id)`,
    keyColumns(customers),
  );
  return new Map(rows.map(row => [row.customerId, { ...row, dueAt: row.dueAt && new Date(row.dueAt) }]));
}

/** Saves what tenants are told of customers; the caller holds the locks of the states. */
export async function saveToldStates(tx: EntityManager, states: readonly ToldState[]): Promise<void> {
  if (states.length === 0) return;
  await executeBound(
    tx,
    `insert into customer_states (team_id, project_id, customer_id, sequence, state, due_at)
     select "teamId", "projectId", "customerId", sequence, state, "dueAt"
       from json_to_recordset($1::json) as told
            ("teamId" text, "projectId" text, "customerId" text, sequence int, state json, "dueAt" timestamptz)
     on conflict (team_id, project_id, customer_id) do update
        set sequence = excluded.sequence, state = excluded.state, due_at = excluded.due_at`,
    [JSON.stringify(states)],
  );
}
