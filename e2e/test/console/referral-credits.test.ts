import { isWithoutBrowser } from '@billing/testing/browser';
import { expect, it } from 'vitest';
import { newFailedCredit } from '../../system/failed-credit.ts';
import { newTenant } from '../../system/tenant.ts';
import { pageOf, visitConsole } from './browse.ts';

const withoutBrowser = isWithoutBrowser();

it.skipIf(withoutBrowser)('sends a credit again that the processor refused first', async () => {
  const tenant = await newTenant();
  const { billing, user } = tenant;
  const creditId = await newFailedCredit(tenant);
  await using visit = await visitConsole(pageOf(tenant, 'referrals'), { user });
  const { page } = visit;
  await page.getByRole('cell', { name: 'Failed' }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The credit is sent again.').waitFor();
  await page.getByRole('cell', { name: 'Credited' }).waitFor();
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  const [credit] = (await billing.referrals.listCredits().page()).items;
  expect(credit).toMatchObject({ id: creditId, status: 'credited', error: null });
  await expect(billing.referrals.retryCredit(creditId)).rejects.toMatchObject({ code: 'referral_credit_not_failed' });
  expect(visit.problems).toEqual([]);
});
