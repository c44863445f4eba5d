import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId } from '@billing/contracts/ids';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { StatusCount } from '#domain/customer-metrics.ts';
import type { GenerationScope } from './projects.ts';

/** What the metrics include of a customer. */
export interface CountedCustomer {
  readonly counts: readonly StatusCount[];
  /** Sums of the contributions of its subscriptions to revenue, by metric. */
  readonly totals: ReadonlyMap<string, bigint>;
}

interface StatusRow {
  readonly id: CustomerId;
  /** Null in the row of the customer itself. */
  readonly status: StatusCount['status'] | null;
  readonly count: number;
}

interface RevenueRow {
  readonly id: CustomerId;
  readonly metric: string;
  readonly amount: string;
}

const OF_CUSTOMERS = `r.team_id = $1 and r.project_id = $2 and r.generation = $3 and r.customer_id = any($4::text[])`;

/** Reads the customers of a project that are among the ids, each with its subscriptions. Needs at least one id. */
export async function readCustomers(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  ids: readonly CustomerId[],
): Promise<ReadonlyMap<CustomerId, CountedCustomer>> {
  const values = [teamId, projectId, generation, textArray(ids)];
  const statuses = await executeBound<StatusRow>(
    em,
    `select r.id, null as status, 0 as count from tracked_records r
      where r.team_id = $1 and r.project_id = $2 and r.generation = $3 and r.kind = 'customer' and r.id = any($4::text[])
     union all
     select r.customer_id, r.status, count(*)::int from tracked_records r
      where ${OF_CUSTOMERS} group by r.customer_id, r.status`,
    values,
  );
  const revenue = await executeBound<RevenueRow>(
    em,
    `select r.customer_id as id, c ->> 0 as metric, sum((c ->> 2)::numeric)::text as amount
       from tracked_records r cross join lateral json_array_elements(r.contributions) c
      where ${OF_CUSTOMERS} and (c ->> 0) like 'revenue:%' group by r.customer_id, c ->> 0`,
    values,
  );
  const customers = new Map<CustomerId, CountedCustomer & { readonly totals: Map<string, bigint> }>();
  for (const { id, status, count } of statuses) {
    const { counts, totals } = customers.get(id) ?? { counts: [], totals: new Map<string, bigint>() };
    customers.set(id, { counts: status === null ? counts : [...counts, { status, count }], totals });
  }
  for (const { id, metric, amount } of revenue) customers.get(id)?.totals.set(metric, BigInt(amount));
  return customers;
}
