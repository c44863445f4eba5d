import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { provisionService } from '@billing/database/provision';
import { startLocalSystem } from '@billing/local-system';
import { planBillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { NO_LIMITS } from '@billing/testing/no-limits';
import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { ok } from '../system/http.ts';
import { fillTenant } from '../system/tenant-life.ts';
import { newTenant } from '../system/tenant.ts';

it('plays the main job with a database for each service', async () => {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-databases-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const system = resources.use(await startLocalSystem({ dataDir, planPrograms: planWithDatabases }));
  const { gatewayUrl, processorUrl = '' } = system;

  const tenant = await newTenant({ gatewayUrl, processorUrl });
  await fillTenant(tenant);
  await drain(tenant);
  const isCounted = async () => {
    const { mrr, referralStats } = await tenant.billing.analytics.get();
    return mrr === 2_999 && referralStats.converted === 1;
  };
  await waitFor(isCounted, { what: 'analytics to count the subscription and the referral' });
  const { webhookEvents } = await ok(tenant.user.get(`${tenant.teamPath}/webhook-events?status=failed`));
  expect(webhookEvents).toEqual([]);
});

/** Gives each service a database that has no other schema, and drops the one that they would share. */
async function planWithDatabases(inputs: PlanInputs) {
  const { postgresPassword, rolePasswords } = inputs.secrets;
  const superuser = new URL(inputs.databaseUrls.gateway);
  superuser.username = 'postgres';
  superuser.password = postgresPassword;
  const adminUrlOf = (database: string) => {
    superuser.pathname = `/${database}`;
    return superuser.href;
  };
  const client = new Client({ connectionString: adminUrlOf('postgres') });
  await client.connect();
  const databaseUrls: Record<ServiceName, string> = { ...inputs.databaseUrls };
  for (const service of SERVICES) {
    await client.query(`create database ${service}_alone`);
    const password = rolePasswords[service];
    databaseUrls[service] = await provisionService(adminUrlOf(`${service}_alone`), { service, password });
  }
  await client.query('drop database billing with (force)');
  await client.end();
  const plan = await planBillingPrograms({ ...inputs, databaseUrls });
  plan.gateway.env = { ...plan.gateway.env, ...NO_LIMITS };
  return plan;
}
