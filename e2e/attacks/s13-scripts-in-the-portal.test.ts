import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { newEmail, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';
import { HOSTILE_TEXTS } from '../test/portal/hostile-texts.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { escaped, skeletonOf } from './page-skeleton.ts';
import { postEvent } from './post-event.ts';

/** Addresses that the portal must not link to. */
const BAD_LINKS = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  '//invoice.stripe.com/x',
  '/portal/x',
  'http://invoice.stripe.com/x',
  'https://evil.example/x',
  'https://stripe.com.evil.example/x',
  'https://evilstripe.com/x',
  'https://evil.example/?https://invoice.stripe.com/',
  'https://invoice.stripe.com@evil.example/x',
  'https://user:password@invoice.stripe.com/x',
  'https://invoice.stripe.com\\@evil.example/x',
  'blob:https://invoice.stripe.com/x',
  'https://invoice.stripe.com/"><script>alert(1)</script>',
];
/** Every third text as a product's name, which needs a subscription each, and others as a project's. */
const PRODUCTS = HOSTILE_TEXTS.filter((_text, index) => index % 3 === 0);
const PROJECTS = HOSTILE_TEXTS.filter((_text, index) => index % 3 === 1);
const harmless = (texts: readonly string[]) => texts.map((_text, index) => `Harmless ${index}`);

const visitor = new Caller();
let tenant: Tenant;
/** Portal tokens of two customers who differ only in their texts, and of one whose invoices have bad links. */
let tokens: Readonly<Record<'hostile' | 'harmless' | 'badLinks', string>>;
beforeAll(async () => {
  tenant = await newTenant();
  const links = ['https://invoice.stripe.com/i/acct_1/x'];
  const [hostile, plain, badLinks] = await Promise.all([
    newBuyer(PRODUCTS, HOSTILE_TEXTS, links),
    newBuyer(harmless(PRODUCTS), harmless(HOSTILE_TEXTS), links),
    newBuyer([], harmless(BAD_LINKS), BAD_LINKS),
  ]);
  tokens = { hostile, harmless: plain, badLinks };
});

/** Creates a customer with a subscription to each product and an invoice under each number. Returns a portal token. */
async function newBuyer(products: readonly string[], numbers: readonly string[], links: readonly string[]) {
  const { billing, callProcessor } = tenant;
  const { customerId } = await newSubscription(tenant, (await newMonthlyPrice(tenant)).priceId);
  const { processorCustomerId } = await billing.customers.get(customerId);
  await mapConcurrently(products, async name => {
    const { id: productId } = await billing.products.create({ name, description: name, metadata: { name } });
    const price = await billing.prices.create({ productId, unitAmount: 100, currency: 'usd', interval: 'month' });
    await callProcessor('/v1/subscriptions', {
      customer: processorCustomerId,
      'items[0][price]': price.processorPriceId,
      trial_period_days: '30',
    });
  });
  const { data } = await callProcessor('/v1/events?type=invoice.paid&limit=100');
  const [paid] = data.filter((event: PaidEvent) => event.data.object.customer === processorCustomerId) as PaidEvent[];
  if (!paid) throw new Error('The first subscription was paid.');
  await mapConcurrently(numbers, async (number, index) => {
    const link = links[index % links.length];
    const id = `in_${processorCustomerId}${index}`;
    const object = { ...paid.data.object, id, number, status: 'open', hosted_invoice_url: link, invoice_pdf: link };
    const event = { ...paid, id: `evt_${id}`, type: 'invoice.finalized', data: { object } };
    expect(await postEvent(tenant, event)).toMatchObject({ status: 200 });
  });
  await waitFor(
    async () => {
      const [subscriptions, invoices] = await Promise.all([
        billing.subscriptions.list({ customerId }).page(),
        billing.invoices.list({ customerId, status: 'open' }).page(),
      ]);
      return subscriptions.total > products.length && invoices.total === numbers.length;
    },
    { what: 'the subscriptions and invoices', intervalMs: 100 },
  );
  return (await billing.portal.create({ customerId })).token;
}

interface PaidEvent {
  readonly data: { readonly object: { readonly customer: string } };
}

async function pageOf(token: string, query = '') {
  const { status, headers, body } = await visitor.get(`/portal/${token}${query}`);
  expect(status).toBe(200);
  return { headers, text: String(body).replaceAll(token, ':token') };
}

/** Returns all pages of a customer's invoices, and the subscriptions on each, as one: which row stands where differs. */
async function pagesOf(token: string) {
  const pages = await Promise.all([1, 2, 3, 4].map(page => pageOf(token, `?tab=invoices&page=${page}`)));
  const skeletons = pages.map(({ text }) => skeletonOf(text));
  return {
    text: pages.map(({ text }) => text).join(''),
    tags: skeletons.flatMap(({ tags }) => tags).toSorted(),
    assets: new Set(skeletons.flatMap(({ assets }) => assets)),
    targets: skeletons.flatMap(({ targets }) => targets),
  };
}

describe('stored text on the portal’s page', () => {
  it('S13: scripts and markup in product names and invoice numbers stand on the page as text: no element, attribute or script more than with harmless ones', async () => {
    const [hostile, plain] = await Promise.all([pagesOf(tokens.hostile), pagesOf(tokens.harmless)]);
    expect(hostile.tags).toEqual(plain.tags);
    expect(hostile.assets).toEqual(plain.assets);
    expect([...PRODUCTS, ...HOSTILE_TEXTS].filter(text => !hostile.text.includes(escaped(text)))).toEqual([]);
  });

  it('S13: an invoice’s link is left out unless it is https at the processor, without a user: no javascript:, data:, look-alike or relative one', async () => {
    const { targets, text } = await pagesOf(tokens.badLinks);
    expect(BAD_LINKS.map((_link, index) => `Harmless ${index}`).filter(number => !text.includes(number))).toEqual([]);
    const own = [new URL(inject('processorUrl')).port, new URL(inject('gatewayUrl')).port];
    const hosts = targets.map(target => URL.parse(target, inject('gatewayUrl')));
    const foreign = hosts.filter(url => !url || !(own.includes(url.port) || url.hostname === 'invoice.stripe.com'));
    expect(foreign).toEqual([]);
    // What is left of the list are two links to the processor, whose odd ends are part of the path.
    const atProcessor = targets.filter(target => target.includes('stripe.com'));
    expect(new Set(atProcessor)).toEqual(
      new Set([
        'https://invoice.stripe.com/@evil.example/x',
        'https://invoice.stripe.com/%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
      ]),
    );
  });

  it('S13: the same in a customer’s name and metadata, and in a project’s name', async () => {
    const { user, P, billing } = tenant;
    const people = await mapConcurrently(['Harmless', ...HOSTILE_TEXTS], async name => {
      const customer = await billing.customers.create({
        email: newEmail(),
        name,
        metadata: { [name.slice(0, 40).replaceAll(/[[\]]/g, '')]: name },
      });
      const { token } = await billing.portal.create({ customerId: customer.id });
      const { text } = await pageOf(token);
      return { name, token, text, tags: skeletonOf(text).tags };
    });
    const [plain] = people;
    for (const { name, tags, text } of people) {
      expect(tags, name).toEqual(plain?.tags);
      expect(text).toContain(`<bdi>${escaped(name)}</bdi>`);
    }
    const token = plain?.token ?? '';
    for (const text of PROJECTS) {
      const name = text.slice(0, 120);
      await ok(user.patch(P, { name }));
      const page = await waitFor(
        async () => {
          const { text: html } = await pageOf(token);
          return html.includes(`<bdi>${escaped(name)}</bdi>`) ? html : undefined;
        },
        { what: `the project’s name ${name}`, intervalMs: 20 },
      );
      expect(skeletonOf(page).tags, name).toEqual(plain?.tags);
    }
  });

  it('S13: the page’s policy allows its own script and style alone, by a nonce that is new each time, and no frame, base or foreign form', async () => {
    const [first, second] = [await pageOf(tokens.hostile), await pageOf(tokens.hostile)];
    const policies = [first, second].map(({ headers }) => headers.get('content-security-policy') ?? '');
    const [policy = '', other = ''] = policies;
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(Buffer.from(nonce, 'base64').length).toBe(16);
    expect(other).not.toContain(nonce);
    const rules = new Map(policy.split('; ').map(rule => [rule.split(' ', 1)[0], rule]));
    expect(new Set(rules.keys())).toEqual(
      new Set(['base-uri', 'connect-src', 'default-src', 'form-action', 'frame-ancestors', 'script-src', 'style-src']),
    );
    expect(policy).toMatch(/default-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/);
    expect(rules.get('style-src')).toBe(`style-src 'nonce-${nonce}'`);
    // The processor's page is where a form may lead: the payment method is changed there.
    const { port } = new URL(inject('processorUrl'));
    expect(rules.get('form-action')).toMatch(
      new RegExp(`^form-action 'self' http://localhost:${port} http://127.0.0.1:${port}$`),
    );
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(first.text.match(/<script/g)).toHaveLength(1);
  });
});
