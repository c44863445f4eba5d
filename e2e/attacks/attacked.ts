import { newResources } from '../system/operations/resources.ts';
import { newTenant } from '../system/tenant.ts';

let opened: ReturnType<typeof open> | undefined;

/** A tenant with one resource of each kind, which the files of a worker share: none of them changes it. */
export const attackedTenant = () => (opened ??= open());

export type Attacked = Awaited<ReturnType<typeof open>>;

async function open() {
  const tenant = await newTenant();
  return { tenant, resources: await newResources(tenant) };
}
