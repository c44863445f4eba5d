import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { newAccount, runSync } from '../../test/syncs/account.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';

/** More than a page of each type. */
const CUSTOMERS = 120;
/** The service that runs the sync, which goes on when its lease ends, and those that compare and record. */
const KILLED = ['webhooks', 'customers', 'webhooks', 'subscriptions'];

const random = seededRandom('killed syncs');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('takes over everything once although its services are killed at random moments', async () => {
  const tenant = await system.newTenant();
  const { billing } = tenant;
  const account = await newAccount(tenant, CUSTOMERS);
  const { id } = await billing.syncs.create({ mode: 'apply' });
  const moments = KILLED.map(() => random.between(0, 3 * CUSTOMERS)).toSorted((a, b) => a - b);
  for (const [index, count] of moments.entries()) {
    await waitFor(async () => (await readOf(tenant, id)) >= count, { what: `${count} objects to be read` });
    await system.killAndReplace(KILLED[index] ?? 'webhooks');
  }
  const ended = await waitFor(
    async () => {
      const found = await billing.syncs.get(id, { maxRetries: 30 });
      return found.status === 'completed' ? found : undefined;
    },
    { what: 'the sync to complete' },
  );
  const all = { read: CUSTOMERS, total: CUSTOMERS };
  expect(ended.progress).toMatchObject({ customer: all, subscription: all, invoice: all });
  const findings = await Array.fromAsync(billing.syncs.findings(id));
  expect(findings.filter(one => !one.applied)).toEqual([]);

  const customers = await Array.fromAsync(billing.customers.list());
  expect(customers.map(one => one.processorCustomerId).toSorted()).toEqual(account.customerIds.toSorted());
  await waitFor(async () => (await billing.analytics.get()).mrr === CUSTOMERS * 1_500, { what: 'the revenue' });
  expect((await billing.analytics.get()).customerCount).toBe(CUSTOMERS);
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
});

/** How many objects a sync has read. */
async function readOf({ billing }: Tenant, id: string): Promise<number> {
  const { status, progress } = await billing.syncs.get(id, { maxRetries: 30 });
  if (status === 'completed') return Infinity;
  return Object.values(progress).reduce((sum, { read }) => sum + read, 0);
}
