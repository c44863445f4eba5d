import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import { declineCard, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { inBrowser, pageOf, type VisitPage } from './browse.ts';
import { DESKTOP, expectFitting, PHONE, takeScreenshot } from './looks.ts';

const SMALLEST = { width: 320, height: 800 };

let tenant: Tenant;
let priceId: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ priceId } = await newMonthlyPrice(tenant));
});

/** A new subscription, what it is at present, and its page. */
async function openSubscription(visit: VisitPage) {
  const { id, processorSubscriptionId } = await newSubscription(tenant, priceId);
  const read = () => tenant.billing.subscriptions.get(id);
  const page = await visit(pageOf(tenant, `subscriptions/${id}`), tenant, { viewport: DESKTOP });
  return { id, processorSubscriptionId, read, page };
}

inBrowser('changes a plan for the amount that it shows, and takes back what is planned', async ({ visit }) => {
  const { billing } = tenant;
  const { productId } = await billing.prices.get(priceId);
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  await billing.productFeatures.set(productId, 'seats', { value: 5, per: 'quantity' });
  const team = await billing.products.create({ name: 'Team' });
  await billing.prices.create({ productId: team.id, unitAmount: 4_999, currency: 'usd', interval: 'month' });
  const { processorSubscriptionId, read, page } = await openSubscription(visit);
  const dialog = page.getByRole('dialog');
  const opener = page.getByRole('button', { name: 'Change plan…' });
  const submit = dialog.getByRole('button', { name: /^Change/ });

  // More of it, now, by keyboard.
  await opener.press('Enter');
  await dialog.getByText('Choose another price or quantity').waitFor();
  await dialog.getByLabel('Quantity').fill('3');
  await dialog.getByText(/^Due today: \$/).waitFor();
  await dialog.getByText('Seats: 5 → 15').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'change-plan');
  await page.setViewportSize(SMALLEST);
  expect(await dialog.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.setViewportSize(DESKTOP);
  const [due = ''] = /\$[\d.]+/.exec(await submit.innerText()) ?? [];
  expect(due).not.toBe('');
  await dialog.getByLabel('Quantity').press('Enter');
  await page.getByText('The plan is changed.').waitFor();
  expect(await read()).toMatchObject({ quantity: 3, items: [{ priceId }] });
  await page.getByRole('region', { name: 'Invoices' }).getByText(due).waitFor();

  // Another plan at the end of the period, which is taken back.
  await opener.click();
  await dialog.getByLabel('Team: $49.99 a month').check();
  await dialog.getByLabel('It takes effect').selectOption('At the end of the period');
  await dialog.getByText('Nothing is due today.').waitFor();
  await dialog.getByText('Seats: 15 → nothing').waitFor();
  await dialog.getByRole('button', { name: 'Change at the end of the period' }).click();
  await page.getByText('3 × Team, $49.99 a month').waitFor();
  await page.locator('.badge', { hasText: 'Changes' }).waitFor();
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
  await page.getByRole('button', { name: 'Take it back…' }).click();
  await dialog.getByRole('button', { name: 'Take it back' }).click();
  await page.getByText('The change is taken back.').waitFor();
  expect(await read()).toMatchObject({ quantity: 3, scheduledChange: null });

  // A declined payment gives nothing.
  await declineCard(tenant, { processorSubscriptionId });
  await opener.click();
  await dialog.getByLabel('Quantity').fill('9');
  await submit.click();
  await page.getByText('A change waits for its payment.').waitFor();
  await page.getByRole('button', { name: 'Copy the payment link' }).waitFor();
  await expectFitting(page, PHONE.width);
  await expectAccessible(page);
  const { quantity, pendingChange } = await read();
  expect([quantity, pendingChange]).toMatchObject([3, { reason: 'declined', items: [{ quantity: 9 }] }]);
  await page.getByRole('button', { name: 'Drop the change…' }).click();
  await dialog.getByRole('button', { name: 'Drop the change' }).click();
  await page.getByText('The change is dropped, and its invoice is void.').waitFor();
  await page.getByText('A change waits for its payment.').waitFor({ state: 'detached' });
});

inBrowser('says why a plan cannot change, and what it costs instead', async ({ visit }) => {
  const { id, read, page } = await openSubscription(visit);
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: /^Change now/ });
  await page.getByRole('button', { name: 'Change plan…' }).click();
  await dialog.getByLabel('Promotion code').fill('NOBODY-HAS-THIS');
  await dialog.getByRole('alert').filter({ hasText: 'promotion code' }).waitFor();

  await page.route('**/change/preview', route => route.fulfill({ status: 500, json: {} }));
  await dialog.getByLabel('Promotion code').fill('');
  await dialog.getByLabel('Quantity').fill('3');
  const again = dialog.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.unroute('**/change/preview');
  await again.click();
  await dialog.getByText(/^Due today: \$/).waitFor();

  // Another request changes it first.
  await tenant.billing.subscriptions.change(id, { quantity: 2 });
  await submit.click();
  await dialog.getByText('Look at the new preview, and confirm it. Nothing was changed.').waitFor();
  expect(await read()).toMatchObject({ quantity: 2 });
  await submit.click();
  await page.getByText('The plan is changed.').waitFor();
  expect(await read()).toMatchObject({ quantity: 3 });
});
