import type { Subscription } from '@billing/client';
import { beforeAll, expect } from 'vitest';
import { expectAccessible } from '../../system/accessibility.ts';
import {
  newCustomer,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  saveCard,
  type Tenant,
} from '../../system/tenant.ts';
import { inBrowser, pageOf, type VisitPage } from './browse.ts';
import { DESKTOP, expectFitting, PHONE, takeScreenshot } from './looks.ts';

let tenant: Tenant;
let priceId: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ priceId } = await newMonthlyPrice(tenant));
});

/** The page of a subscription, and what it is at present. */
async function open(visit: VisitPage, { id }: Pick<Subscription, 'id'>) {
  const page = await visit(pageOf(tenant, `subscriptions/${id}`), tenant, { viewport: DESKTOP });
  const read = () => tenant.billing.subscriptions.get(id);
  return { page, dialog: page.getByRole('dialog'), read };
}

/** A new subscription in a trial of 14 days, of a customer with a saved card. */
async function newTrial() {
  const customerId = await newCustomer(tenant);
  const card = await saveCard(tenant, customerId);
  const trial = { customerId, priceId, collect: 'saved', trialDays: 14, trialEndsWithoutMethod: 'pause' } as const;
  const { subscription } = await tenant.billing.checkout.create(trial);
  return { ...subscription, card };
}

inBrowser('cancels now with the unused part credited to the balance', async ({ visit }) => {
  const subscription = await newSubscription(tenant, priceId);
  const { page, dialog, read } = await open(visit, subscription);
  await page.getByRole('button', { name: 'Cancel…' }).press('Enter');
  await page.keyboard.press('ArrowDown');
  await dialog.getByLabel('Credit the unused part of the period').check();
  await dialog.getByText(/^About \$29\.\d\d is credited to the balance of the customer\.$/).waitFor();
  await dialog.getByLabel('Make a final invoice now').uncheck();
  await dialog.getByText(/^About \$29\.\d\d is credited, on what waits for an invoice\.$/).waitFor();
  await dialog.getByLabel('Make a final invoice now').check();
  await dialog.getByText(/to the balance of the customer/).waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'cancel-with-credit');
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await dialog.evaluate(box => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.setViewportSize(DESKTOP);
  await dialog.getByRole('button', { name: 'Cancel now' }).click();
  await page.getByText('The subscription has ended.').waitFor();
  expect(await read()).toMatchObject({ status: 'canceled' });
  const { processorCustomerId } = await tenant.billing.customers.get(subscription.customerId);
  const { balance } = await tenant.callProcessor(`/v1/customers/${processorCustomerId}`);
  expect(balance).toBeLessThan(-2_900);
});

inBrowser('voids the open invoices of a subscription that is canceled now', async ({ visit }) => {
  const customerId = await newCustomer(tenant);
  const { subscription } = await tenant.billing.checkout.create({ customerId, priceId, collect: 'invoice' });
  const { page, dialog } = await open(visit, subscription);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog.getByRole('radio', { name: 'Now' }).check();
  await dialog.getByLabel('Invoices that are open or drafts').selectOption('They are voided');
  await dialog.getByRole('button', { name: 'Cancel now' }).click();
  await page.getByText('The subscription has ended.').waitFor();
  await page.getByRole('region', { name: 'Invoices' }).getByText('Void').waitFor();
  const { items } = await tenant.billing.invoices.list({ customerId }).page();
  expect(items).toMatchObject([{ status: 'void' }]);
});

inBrowser('pauses the payments until a time, shows that, and resumes them', async ({ visit }) => {
  const { page, dialog, read } = await open(visit, await newSubscription(tenant, priceId));
  await page.getByRole('button', { name: 'Pause…' }).press('Enter');
  await dialog.getByLabel('Invoices of the pause').selectOption('They stay drafts');
  await dialog.getByLabel('Until').fill('2040-05-02T09:30');
  await expectAccessible(page);
  await takeScreenshot(page, 'pause');
  await dialog.getByLabel('Until').press('Enter');
  await page.getByText('The payments are paused.').waitFor();
  expect(await read()).toMatchObject({ status: 'active', paused: { invoices: 'keep_as_draft' } });
  const notice = page.getByText(/^Payments are paused until May 2, 2040, 9:30\sAM\.$/);
  await notice.waitFor();
  await page.getByText('Its invoices stay drafts. Its plan can’t change meanwhile.').waitFor();
  const change = page.getByRole('button', { name: 'Change plan…' });
  expect(await change.count()).toBe(0);
  await page.locator('.badge', { hasText: 'Payments paused' }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectFitting(page, PHONE.width);
  await takeScreenshot(page, 'paused-subscription');

  await page.getByRole('button', { name: 'Resume payments…' }).click();
  await dialog.getByText('Nothing is due today.').waitFor();
  await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText('The subscription goes on.').waitFor();
  await notice.waitFor({ state: 'detached' });
  await change.waitFor();
  expect(await read()).toMatchObject({ paused: null });
});

inBrowser.for(['Change plan…', 'Cancel…', 'Add an item…'])(
  'keeps the dialog of %s when the subscription ends meanwhile',
  async (name, { visit }) => {
    const { id } = await newSubscription(tenant, priceId);
    const { page, dialog } = await open(visit, { id });
    await page.getByRole('button', { name }).click();
    await dialog.waitFor();
    await tenant.billing.subscriptions.cancelNow(id);
    await page.locator('.badge', { hasText: 'Canceled' }).first().waitFor();
    expect(await page.locator('button', { hasText: name }).count()).toBe(0);
    expect(await dialog.isVisible()).toBe(true);
  },
);

inBrowser('says that a pause is refused', async ({ visit }) => {
  const { id } = await newSubscription(tenant, priceId);
  const { page, dialog } = await open(visit, { id });
  await page.getByRole('button', { name: 'Pause…' }).click();
  await tenant.billing.subscriptions.pause(id, { invoices: 'keep_as_draft' });
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await dialog.getByRole('alert').filter({ hasText: 'paused' }).waitFor();
});

inBrowser('resumes what a trial has left paused for the amount that it shows', async ({ visit }) => {
  const { id, customerId, processorSubscriptionId, card } = await newTrial();
  const { processorCustomerId } = await tenant.billing.customers.get(customerId);
  await tenant.callProcessor(`/v1/payment_methods/${card}/detach`, {});
  await tenant.processor.endTrial(processorSubscriptionId, 'pause');
  const { page, dialog, read } = await open(visit, { id });
  await page.getByText('The subscription is paused.').waitFor();
  const { id: other } = await tenant.callProcessor('/v1/payment_methods/pm_card_visa/attach', {
    customer: processorCustomerId,
  });
  const method = { 'invoice_settings[default_payment_method]': other };
  await tenant.callProcessor(`/v1/customers/${processorCustomerId}`, method);
  await page.getByRole('button', { name: 'Resume now…' }).press('Enter');
  await dialog.getByText(/^Due today: \$/).waitFor();
  await dialog.getByLabel('Begin today').check();
  await dialog.getByText('Due today: $29.99.').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'resume-paused');

  await tenant.processor.setCardDeclines(other, true);
  await dialog.getByRole('button', { name: 'Resume for $29.99' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'The payment was declined' }).waitFor();
  expect(await read()).toMatchObject({ status: 'paused' });
  await tenant.processor.setCardDeclines(other, false);
  await dialog.getByRole('button', { name: 'Resume for $29.99' }).click();
  await page.getByText('The subscription goes on.').waitFor();
  expect(await read()).toMatchObject({ status: 'active' });
});

inBrowser('moves the end of a trial, and ends it now for the amount that it shows', async ({ visit }) => {
  const { id, card } = await newTrial();
  const { page, dialog, read } = await open(visit, { id });
  const opener = page.getByRole('button', { name: 'Change the trial…' });
  await opener.press('Enter');
  const { trialEnd: before } = await read();
  const wanted = new Date(Date.parse(before ?? '') + 7 * 86_400_000);
  await dialog.getByLabel('The trial ends').fill(`${wanted.toISOString().slice(0, 10)}T12:00`);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Move the end' }).click();
  await page.getByText('The trial has another end.').waitFor();
  expect(Date.parse((await read()).trialEnd ?? '')).toBeGreaterThan(Date.parse(before ?? ''));

  await opener.click();
  await dialog.getByRole('radio', { name: 'Now' }).check();
  await dialog.getByText('Due today: $29.99.').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'end-trial');
  await tenant.processor.setCardDeclines(card, true);
  const submit = dialog.getByRole('button', { name: 'End the trial for $29.99' });
  await submit.click();
  await dialog.getByRole('alert').filter({ hasText: 'The bank declined the payment' }).waitFor();
  expect(await read()).toMatchObject({ status: 'trialing' });
  await tenant.processor.setCardDeclines(card, false);
  await submit.click();
  await page.getByText('The trial has ended.').waitFor();
  expect(await read()).toMatchObject({ status: 'active' });
});

inBrowser('begins a new billing day today for about the amount that it shows', async ({ visit }) => {
  const subscription = await newSubscription(tenant, priceId);
  const { page, dialog, read } = await open(visit, subscription);
  await page.getByRole('button', { name: 'New billing day…' }).press('Enter');
  await dialog.getByText(/^(?:Due today: \$\d|Nothing is due today)/).waitFor();
  await dialog.getByText('the amount may still change a little').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'billing-day');
  await dialog.getByRole('button', { name: /^Begin today/ }).click();
  await page.getByText('The plan is changed.').waitFor();
  const { currentPeriodStart } = await read();
  expect(Date.parse(currentPeriodStart)).toBeGreaterThanOrEqual(Date.parse(subscription.currentPeriodStart));
});
