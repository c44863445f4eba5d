import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect } from 'vitest';
import { ok } from '../../system/http.ts';
import { inBrowser } from './browse.ts';
import { expectFitting, expectGood } from './fitting.ts';
import { cardOf, openShop, type Shop } from './shop.ts';

const PRO = { name: 'Pro', unitAmount: 2_999 };
const SMALLEST = { width: 320, height: 640 };
const DAY_MS = 86_400_000;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt-BR', 'sv', 'ja'];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await shop.tenant.billing.portalConfig.set({ pause: { enabled: true, maxDays: 90 } });
});

/** What an entry of the audit log says here. */
interface AuditEntry {
  readonly action: string;
  readonly actor: { readonly type: string };
  readonly target: { readonly id: string };
}

/** Creates a customer who subscribes on these terms. */
async function subscriberWith(terms: { trialDays?: number } = {}) {
  const { subscriptions, portalUrl } = await shop.customerWith({ ...PRO, ...terms });
  const [subscription] = subscriptions;
  if (!subscription) throw new Error('There is no subscription.');
  const { id, processorSubscriptionId } = subscription;
  const read = () => shop.tenant.billing.subscriptions.get(id);
  return { subscription, id, processorSubscriptionId, portalUrl, read };
}

inBrowser('pauses for as long as chosen, and ends the pause, without JavaScript', async ({ visit }) => {
  const { tenant } = shop;
  const { subscription, id, processorSubscriptionId, portalUrl, read } = await subscriberWith();
  const page = await visit(portalUrl, { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Pause Pro' }).click();
  expect(await page.locator('main').innerText()).toContain('You will not be charged while it is paused.');
  await page.getByLabel('For how long').selectOption('30 days');
  await page.getByRole('button', { name: 'Pause subscription' }).click();
  expect(await page.getByRole('status').first().innerText()).toContain('is paused');
  expect(await cardOf(page, subscription).innerText()).toMatch(/Paused[\s\S]*Paused until\s+\w+ \d+, \d{4}/);
  const { status, paused } = await read();
  expect({ status, paused }).toMatchObject({ status: 'active', paused: { invoices: 'void' } });
  const { pause_collection: atProcessor } = await tenant.callProcessor(`/v1/subscriptions/${processorSubscriptionId}`);
  expect(atProcessor.behavior).toBe('void');
  const days = (Date.parse(paused?.resumesAt ?? '') - Date.now()) / DAY_MS;
  expect(Math.round(days)).toBe(30);

  await page.getByRole('button', { name: 'End pause of Pro' }).click();
  expect(await page.getByRole('status').first().innerText()).toContain('goes on');
  expect((await read()).paused).toBeNull();
  const actions = await waitFor(
    async () => {
      const { entries } = await ok(tenant.user.get(`${tenant.teamPath}/audit-log`));
      const own = (entries as readonly AuditEntry[]).filter(
        ({ actor, target }) => actor.type === 'customer' && target.id === id,
      );
      return own.length >= 2 && own.map(({ action }) => action);
    },
    { what: 'the entries of the pause and its end' },
  );
  expect(actions).toEqual(['resumePortalSubscription', 'pausePortalSubscription']);
  const causes = await waitFor(
    async () => {
      const { items } = await tenant.billing.events.list({ types: ['subscription.updated'], objectId: id }).page();
      return items.length >= 2 && items.map(({ cause }) => cause.type);
    },
    { what: 'the events of the pause and its end' },
  );
  expect(causes).toEqual(['portal', 'portal']);
});

inBrowser('shows what a subscription costs whose trial ended without a card, and resumes it', async ({ visit }) => {
  const { tenant } = shop;
  const { subscription, processorSubscriptionId, portalUrl, read } = await subscriberWith({ trialDays: 14 });
  await tenant.processor.pause(processorSubscriptionId);
  await waitFor(async () => (await read()).status === 'paused', { what: 'the subscription to be paused' });
  const page = await visit(portalUrl);
  await page.getByRole('link', { name: 'End pause of Pro' }).click();
  await page.locator('.amounts').waitFor();
  expect(await page.locator('.sums').innerText()).toMatch(/Due today\s+\$29\.99/);
  await expectGood(page);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.locator('.notice', { hasText: 'goes on' }).waitFor();
  expect(await cardOf(page, subscription).innerText()).toMatch(/Active[\s\S]*Renews on/);
  expect((await read()).status).toBe('active');
});

inBrowser('fits the smallest screen in each language, and passes axe', async ({ visit }) => {
  const [running, paused] = [await subscriberWith(), await subscriberWith()];
  await shop.tenant.billing.subscriptions.pause(paused.id, {
    resumesAt: new Date(Date.now() + 30 * DAY_MS).toISOString(),
  });
  const page = await visit(running.portalUrl, { viewport: SMALLEST, colorScheme: 'dark', reducedMotion: 'reduce' });
  for (const [url, ready] of [
    [running.portalUrl, '.card'],
    [`${running.portalUrl}/subscriptions/${running.id}/pause`, '#days'],
    [paused.portalUrl, '.card'],
  ] as const) {
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    await expectGood(page);
    for (const language of LANGUAGES) {
      await page.goto(`${url}?lang=${language}`);
      await page.locator(ready).first().waitFor();
      await expectFitting(page);
    }
  }
});
