import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { AnalyticsCustomer } from '@billing/contracts/resources/analytics';
import { customerMetrics } from '#domain/customer-metrics.ts';
import { readCustomers } from '#persistence/customer-subscriptions.ts';
import { readProject, type GenerationScope } from '#persistence/projects.ts';

/** Returns what customers add to the metrics, in the order of the ids; those that are no customers of the project are left out. */
export function getCustomers({ em }: { readonly em: EntityManager }) {
  return async (
    scope: ProjectScope,
    ids: readonly CustomerId[],
  ): Promise<{ readonly customers: AnalyticsCustomer[] }> => {
    const { rows: customers } = await readProject(em, scope, (tx, current) => readCustomerMetrics(tx, current, ids));
    return { customers };
  };
}

/** Reads the same in the caller's transaction. */
export async function readCustomerMetrics(
  tx: EntityManager,
  current: GenerationScope,
  ids: readonly CustomerId[],
): Promise<AnalyticsCustomer[]> {
  if (ids.length === 0) return [];
  const known = await readCustomers(tx, current, ids);
  return ids.flatMap(id => {
    const customer = known.get(id);
    return customer ? [customerMetrics(id, customer.counts, customer.totals)] : [];
  });
}
