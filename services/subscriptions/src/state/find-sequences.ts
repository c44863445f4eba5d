import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { NumberedObject } from '@billing/contracts/rpc/test-clocks';
import { executeBound } from '@billing/database/bound-statement';

/**
 * Finds what is recorded of some customers, each with its last event for tenants, and whether their states are published: none is
 * marked.
 */
export async function findSequences(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  ids: readonly CustomerId[],
) {
  const scope = [teamId, projectId, ids];
  const ofCustomers = '(team_id, project_id) = ($1, $2) and customer_id = any($3::text[])';
  // The marks first: a state that is published between the two has its event.
  const marks = await executeBound(
    em,
    `select 1 from customer_state_marks
      where (team_id, project_id) = ($1, $2) and (customer_id is null or customer_id = any($3::text[])) limit 1`,
    scope,
  );
  const objects = await executeBound<NumberedObject>(
    em,
    `select 'subscription' as type, id, sequence from subscriptions where ${ofCustomers}
      union all
     select 'invoice', id, sequence from invoices where ${ofCustomers}
      union all
     select 'payment', id, sequence from payments where ${ofCustomers}
      union all
     select 'customer_state', customer_id, sequence from customer_states where ${ofCustomers}`,
    scope,
  );
  return { isPublished: marks.length === 0, objects: objects.filter(({ sequence }) => sequence > 0) };
}
