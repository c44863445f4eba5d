import type { Gateway } from './start-gateway.ts';

type Tenant = Awaited<ReturnType<Gateway['createTenant']>>;

/** Reads the audit log of a tenant's team. */
export const logOf = async ({ owner, teamPath }: Pick<Tenant, 'owner' | 'teamPath'>, query = '') =>
  (await owner.call('GET', `${teamPath}/audit-log${query}`)).body;

/** The newest entries, oldest first. */
export const lastEntries = async (tenant: Tenant, count: number) =>
  (await logOf(tenant, `?limit=${count}`)).entries.toReversed();
