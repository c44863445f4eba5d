import { execFile, spawn } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BillingClient } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { Caller, ok } from '../system/http.ts';
import { setService } from '../system/running-system.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { startSystem, type StartedSystem } from '../system/start-system.ts';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';

const CONFIG = join(import.meta.dirname, '../../deploy/partitions/haproxy.cfg');

/** Whether HAProxy is installed. */
const isInstalled = await promisify(execFile)('haproxy', ['-v']).then(
  () => true,
  () => false,
);

it.runIf(isInstalled)('serves two partitions of teams at one address', async () => {
  await using resources = new AsyncDisposableStack();
  const port = await findFreePort();
  // Two names of this machine: the address of everybody, and that of the second partition.
  const [everybody, second] = [`127.0.0.1:${port}`, `127.0.0.2:${port}`];
  const start = async (host: string) =>
    resources.adopt(await startSystem({ PUBLIC_URL: `http://${host}`, TRUST_PROXY: '1' }), system => system.stop());
  const partitions = [await start(everybody), await start(second)] as const;
  const router = resources.use(await startRouter({ listen: [everybody, second], partitions, secondHost: second }));

  // A team is made at its partition's name; one of the second partition is then named to the router.
  const tenants: Tenant[] = [];
  for (const [index, host] of [everybody, second].entries()) {
    const { processorUrl } = partitions[index === 0 ? 0 : 1];
    tenants.push(await newTenant({ gatewayUrl: `http://${host}`, processorUrl }));
  }
  const [one, two] = tenants.map(tenant => atAddress(tenant, `http://${everybody}`));
  if (!one || !two) throw new Error('There are not two tenants.');
  expect((await two.api.get(`${two.P}/products`)).status).toBe(401);
  await router.assign(two.teamId);
  await expect.poll(async () => (await two.api.get(`${two.P}/products`)).status).toBe(200);

  // Both do the main job at the one address, with keys and webhooks.
  for (const tenant of [one, two]) {
    await newSubscription(tenant, (await newMonthlyPrice(tenant)).priceId);
    const event = newSignedEvent('product.updated', { id: 'prod_other', object: 'product' });
    expect((await postSigned(tenant, event)).status).toBe(200);
    await drain(tenant);
    expect(await tenant.billing.analytics.get()).toMatchObject({ mrr: 2_999 });
  }

  // A key is known to its own partition only.
  const stranger = new Caller({ authorization: `Bearer ${one.secret}` }, `http://${everybody}`);
  expect((await stranger.get(`${two.P}/products`)).status).toBe(401);

  // An outage of one partition is none of the other.
  await setService('gateway', 'stop', partitions[1].dataDir);
  await expect.poll(async () => (await two.api.get(`${two.P}/products`)).status).toBe(503);
  expect((await ok(one.api.get(`${one.P}/products`))).products).toHaveLength(1);
});

/** Returns the tenant as seen at another address; its session stays at its partition's name. */
function atAddress(tenant: Tenant, url: string): Tenant {
  const { teamId, projectId, secret } = tenant;
  return {
    ...tenant,
    gatewayUrl: url,
    billing: new BillingClient({ baseUrl: url, apiKey: secret, teamId, projectId }),
    api: new Caller({ authorization: `Bearer ${secret}` }, url),
  };
}

interface RouterOptions {
  readonly listen: readonly string[];
  readonly partitions: readonly [StartedSystem, StartedSystem];
  readonly secondHost: string;
}

/** Starts HAProxy with the configuration of `deploy/partitions`. */
async function startRouter({ listen, partitions, secondHost }: RouterOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'billing-router-'));
  const teams = join(folder, 'teams.map');
  await writeFile(teams, '');
  const env = {
    ...process.env,
    LISTEN: listen.join(','),
    PARTITION_1: new URL(partitions[0].gatewayUrl).host,
    PARTITION_2: new URL(partitions[1].gatewayUrl).host,
    PARTITION_2_HOST: secondHost,
    TEAMS: teams,
  };
  const router = spawn('haproxy', ['-W', '-db', '-f', CONFIG], { env, stdio: 'ignore' });
  const exited = new Promise(resolve => router.once('exit', resolve));
  const isUp = async () => (await fetch(`http://${listen[0]}/health/ready`)).ok;
  await waitFor(isUp, { what: 'the router to be ready' });
  return {
    /** Has the second partition serve a team. */
    async assign(teamId: string) {
      await appendFile(teams, `${teamId} partition-2\n`);
      router.kill('SIGUSR2');
    },
    async [Symbol.asyncDispose]() {
      router.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
