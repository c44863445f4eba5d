import { html } from 'hono/html';
import { expect, it } from 'vitest';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { PORTAL_LANGUAGES, type PortalLanguage } from '@billing/contracts/resources/portal-session';
import { item } from '../../test/billing-samples.ts';
import { priceText, priceWithSum } from './price-text.ts';
import { textsFor } from './texts.ts';

const shown = async (changes: Partial<BilledItem>, language: PortalLanguage, locale: string = language) =>
  (await priceText({ ...item, ...changes }, textsFor({ language, locale }))).toString().replaceAll(/<[^>]*>/g, '');

it.each<[Partial<BilledItem>, string]>([
  [{}, '$29.99 / month'],
  [{ quantity: 3 }, '$29.99 / month × 3'],
  [{ quantity: 1200 }, '$29.99 / month × 1,200'],
  [{ interval: 'year' }, '$29.99 / year'],
  [{ unitAmount: 2990, currency: 'eur' }, '€29.90 / month'],
  [{ unitAmount: 2990, currency: 'jpy' }, '¥2,990 / month'],
  [{ unitAmount: 2990, currency: 'kwd' }, 'KWD\u00a02.990 / month'],
  [{ intervalCount: 3 }, '$29.99 every 3 months'],
  [{ intervalCount: null }, '$29.99 / month'],
  [{ interval: null, intervalCount: null }, '$29.99 once'],
  [{ unitAmount: null, unitAmountDecimal: '0.5', quantity: 1200 }, '$0.005 / month × 1,200'],
  [{ unitAmount: null, unitAmountDecimal: '0.125', currency: 'jpy' }, '¥0.125 / month'],
  [{ unitAmount: null, unitAmountDecimal: null, billingScheme: 'tiered', quantity: 7 }, 'By quantity / month × 7'],
  [{ transformQuantity: { divideBy: 1000, round: 'up' }, quantity: 2500 }, '$29.99 per 1,000 / month × 2,500'],
  [{ metered: true, quantity: 0 }, 'By usage / month'],
])('shows a price with %j as %s', async (changes, text) => {
  expect(await shown(changes, 'en')).toBe(text);
});

it.each<[Partial<BilledItem>, string]>([
  [{}, '$29.99 / month'],
  [{ quantity: 3 }, '$29.99 / month × 3 = $89.97'],
  [{ quantity: 0 }, '$29.99 / month × 0 = $0.00'],
  [{ unitAmount: null, unitAmountDecimal: '0.5', quantity: 1200 }, '$0.005 / month × 1,200'],
  [{ transformQuantity: { divideBy: 1000, round: 'up' }, quantity: 2500 }, '$29.99 per 1,000 / month × 2,500'],
  [{ metered: true, quantity: 2 }, 'By usage / month'],
])('shows what several cost together with %j as %s', async (changes, text) => {
  const price = await priceWithSum({ ...item, ...changes }, textsFor({ language: 'en', locale: 'en' }));
  expect(price.toString().replaceAll(/<[^>]*>/g, '')).toBe(text);
});

it.each([
  ['de', 'de-CH', '$\u00a029.99 alle 3 Monate × 1&#39;200'],
  ['pl', 'pl', '29,99\u00a0USD co 3 miesiące × 1200'],
  ['ja', 'ja', '$29.99 / 3か月 × 1,200'],
] as const)('shows a price in %s with the plurals and digits of %s', async (language, locale, text) => {
  expect(await shown({ intervalCount: 3, quantity: 1200 }, language, locale)).toBe(text);
});

it('uses the many form of Polish', async () => {
  expect(await shown({ intervalCount: 6 }, 'pl')).toContain('co 6 miesięcy');
});

it.each(PORTAL_LANGUAGES)('escapes what is put into a text: %s', async language => {
  const texts = textsFor({ language, locale: language });
  const link = await texts.html('returnTo', { project: html`<bdi>${'<script>'}</bdi>` });
  expect(link.toString()).toContain('<bdi>&lt;script&gt;</bdi>');
  expect((await texts.html('pay', { number: '<b>' })).toString()).toContain('&lt;b&gt;');
});
