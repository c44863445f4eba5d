import { expect } from 'vitest';
import { newFailedCredit } from '../../system/billing-records.ts';
import { newTenant } from '../../system/tenant.ts';
import { inBrowser, pageOf } from './browse.ts';

inBrowser('sends a credit again that the processor refused first', async ({ visit }) => {
  const tenant = await newTenant();
  const { billing, user } = tenant;
  const creditId = await newFailedCredit(tenant);
  const page = await visit(pageOf(tenant, 'referrals'), { user });
  await page.getByRole('cell', { name: 'Failed' }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The credit is sent again.').waitFor();
  await page.getByRole('cell', { name: 'Credited' }).waitFor();
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  const [credit] = (await billing.referrals.listCredits().page()).items;
  expect(credit).toMatchObject({ id: creditId, status: 'credited', error: null });
  await expect(billing.referrals.retryCredit(creditId)).rejects.toMatchObject({ code: 'referral_credit_not_failed' });
});
