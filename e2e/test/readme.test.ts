import { expect, inject, it } from 'vitest';
import { runReadmeSession, runReadmeSync } from '../system/readme-session.ts';
import { newTenant } from '../system/tenant.ts';
import { newAccount } from './syncs/account.ts';

it('runs the curl session of the README as printed', async () => {
  const printed = await runReadmeSession(inject('gatewayUrl'));
  expect(printed).toContain('"connected":true');
  expect(printed).toContain('the page leads to https://example.com/done?s=cs_test_');
  expect(printed).toContain('"status":"active"');
  expect(printed).toContain(`${inject('gatewayUrl')}/portal/`);
});

it('takes an account over as the README says', async () => {
  const tenant = await newTenant();
  await newAccount(tenant, 2);
  const printed = await runReadmeSync(tenant);
  expect(printed).toMatch(/^customer +0 +2 .* 0$/m);
  expect(printed).toMatch(/^customer +0 +2 .* 2$/m);
  expect(await Array.fromAsync(tenant.billing.subscriptions.list())).toHaveLength(2);
});
