import { waitFor } from '@billing/testing/wait-for';
import type { Tenant } from './tenant.ts';

/** Returns the id of a sync of the project that was canceled. A team has one at a time, so another project's may have to end. */
export async function canceledSync({ billing }: Pick<Tenant, 'billing'>): Promise<string> {
  const [newest] = (await billing.syncs.list({ limit: 1 }).page()).items;
  const create = () => billing.syncs.create({ mode: 'report', types: ['product'] });
  const { id } = newest ?? (await waitFor(create, { what: "the team's other syncs to end" }));
  await billing.syncs.cancel(id);
  return id;
}
