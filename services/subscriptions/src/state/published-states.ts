import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { EVENT_DATA } from '@billing/contracts/resources/event-data';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';
import type { z } from 'zod';

/** A state as its event carries it. */
export type StateData = z.input<typeof EVENT_DATA.customer_state>;

/** The last published state of a customer; a customer that never had anything has none. */
export interface PublishedState extends ProjectScope {
  readonly customerId: CustomerId;
  /** How many events there were. */
  sequence: number;
  readonly state: StateData;
  /** When time alone takes something away next. */
  readonly dueAt: Date | null;
}

/** Finds the last published states of customers, by customer. */
export async function findPublishedStates(
  em: EntityManager,
  customers: readonly ProjectObject[],
): Promise<ReadonlyMap<CustomerId, PublishedState>> {
  const rows = await executeBound<PublishedState>(
    em,
    `select team_id as "teamId", project_id as "projectId", customer_id as "customerId", sequence, state, due_at as "dueAt"
       from customer_states
       join unnest($1::text[], $2::text[], $3::text[]) as wanted (team_id, project_id, customer_id)
            using (team_id, project_id, customer_id)`,
    keyColumns(customers),
  );
  return new Map(rows.map(row => [row.customerId, { ...row, dueAt: row.dueAt && new Date(row.dueAt) }]));
}

/** Saves published states; the caller holds the locks of the states. */
export async function savePublishedStates(tx: EntityManager, states: readonly PublishedState[]): Promise<void> {
  if (states.length === 0) return;
  await executeBound(
    tx,
    `insert into customer_states (team_id, project_id, customer_id, sequence, state, due_at)
     select "teamId", "projectId", "customerId", sequence, state, "dueAt"
       from json_to_recordset($1::json) as published
            ("teamId" text, "projectId" text, "customerId" text, sequence int, state json, "dueAt" timestamptz)
     on conflict (team_id, project_id, customer_id) do update
        set sequence = excluded.sequence, state = excluded.state, due_at = excluded.due_at`,
    [JSON.stringify(states)],
  );
}
