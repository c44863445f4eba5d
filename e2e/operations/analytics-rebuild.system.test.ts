import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { runForSystem } from '../system/operator-command.ts';
import { startSystem, type StartedSystem } from '../system/start-system.ts';
import { newCustomer, newMonthlyPrice, newSubscription, newTenant } from '../system/tenant.ts';

let system: StartedSystem;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

/** Runs `npm run analytics:rebuild` beside the running system, as an operator would. */
const rebuild = (...args: string[]) => runForSystem(system.dataDir, 'services/analytics/src/rebuild/main.ts', ...args);

it('rebuilds the same analytics from the records of the services', async () => {
  const tenant = await newTenant(system);
  const { billing, projectId } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const { customerId } = await newSubscription(tenant, priceId);
  await billing.customers.delete(await newCustomer(tenant));
  await billing.referrals.createCode({ customerId });
  const readAnalytics = async () => ({
    ...(await billing.analytics.get()),
    ...(await billing.analytics.history({ days: 7 })),
  });
  await waitFor(
    async () => {
      const { mrr, customerCount, referralStats } = await billing.analytics.get();
      return mrr === 2_999 && customerCount === 1 && referralStats.totalCodes === 1;
    },
    { what: 'analytics to include every record' },
  );
  await drain(tenant);
  const before = await readAnalytics();

  const { exitCode, output } = await rebuild('--project', projectId);
  expect(output).toMatch(/^proj_\w+: rebuilt from \d+ records$/m);
  expect(exitCode).toBe(0);
  expect(await readAnalytics()).toEqual(before);
});

it.each([
  ['an unknown project', ['--project', 'proj_00000000000000000000'], 'There is no project'],
  ['an invalid project id', ['--project', 'x'], 'Usage: npm run analytics:rebuild'],
  ['an unknown option', ['--all'], 'Usage: npm run analytics:rebuild'],
])('explains %s in one line and exits with 1', async (_case, args, line) => {
  const { exitCode, output } = await rebuild(...args);
  expect(output).toContain(line);
  expect(exitCode).toBe(1);
});
