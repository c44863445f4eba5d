import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { expect } from 'vitest';
import { idOf } from './account.ts';
import { apiCase, standInCase } from './case.ts';

export const requestCases = [
  apiCase('repeats a response under its idempotency key', async ({ stripe, once }) => {
    const key = once();
    const given = { email: 'a@example.com', name: 'Ada' };
    const first = await stripe.customers.create(given, key);
    const again = await stripe.customers.create(given, key);
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
  }),

  apiCase(
    'replays the same parameters under an idempotency key, and refuses others',
    async ({ refusalOf, stripe, once }) => {
      const key = once();
      const { id } = await stripe.customers.create({ email: 'a@example.com', name: 'Ada' }, key);
      // The client sends fields in one order.
      const again = await stripe.customers.create({ name: 'Ada', email: 'a@example.com' }, key);
      expect(again.id).toBe(id);
      const other = stripe.customers.create({ email: 'a@example.com', name: 'Bob' }, key);
      expect(await refusalOf('other', other)).toMatchObject({ status: 400, type: 'idempotency_error' });
    },
  ),

  apiCase('lists subscriptions and invoices by what they belong to', async ({ stripe, subscribe }) => {
    const { id, customer, items, latest_invoice } = await subscribe();
    const owner = { customer: idOf(customer) };
    const price = items.data[0]?.price.id ?? '';
    const ids = ({ data }: { data: { id?: string }[] }) => data.map(row => row.id);
    expect(ids(await stripe.subscriptions.list({ ...owner, price, status: 'active' }))).toEqual([id]);
    expect(ids(await stripe.subscriptions.list({ ...owner, status: 'canceled' }))).toEqual([]);
    const invoice = typeof latest_invoice === 'string' ? latest_invoice : latest_invoice?.id;
    expect(ids(await stripe.invoices.list({ ...owner, subscription: id, status: 'paid' }))).toEqual([invoice]);
    await stripe.subscriptions.cancel(id);
    expect(ids(await stripe.subscriptions.list(owner))).toEqual([]);
    expect(ids(await stripe.subscriptions.list({ ...owner, status: 'all' }))).toEqual([id]);
  }),

  apiCase(
    'finds objects by metadata and e-mail',
    async ({ record, refusalOf, stripe, createCustomer, createProduct, eventually }) => {
      const mark = randomUUID();
      const customer = await createCustomer({ email: `${mark}@example.com`, metadata: { mark, side: 'left' } });
      const product = await createProduct({ metadata: { mark } });
      const query = `metadata['mark']:'${mark}' AND metadata["side"]:"left" AND email:'${mark}@example.com'`;
      const found = await eventually(async () => {
        const result = await stripe.customers.search({ query });
        return result.data.length > 0 ? result : undefined;
      });
      expect(record('result', found).data.map(({ id }) => id)).toEqual([customer.id]);
      const products = await eventually(async () => {
        const { data } = await stripe.products.search({ query: `metadata['mark']:'${mark}'` });
        return data.length > 0 ? data : undefined;
      });
      expect(products.map(({ id }) => id)).toEqual([product.id]);
      expect(await refusalOf('no query', stripe.customers.search({ query: 'email' }))).toMatchObject({ status: 400 });
    },
  ),

  apiCase('creates, changes and deletes webhook endpoints', async ({ record, refusalOf, stripe }) => {
    const wanted = { url: 'https://example.com/contract', description: 'Contract' };
    const endpoint = await stripe.webhookEndpoints.create({
      ...wanted,
      enabled_events: ['customer.created'],
      api_version: Stripe.API_VERSION,
    });
    try {
      expect(record('created', endpoint)).toMatchObject({
        ...wanted,
        status: 'enabled',
        api_version: Stripe.API_VERSION,
      });
      expect(endpoint.secret).toMatch(/^whsec_/);
      const changes = { enabled_events: ['invoice.paid' as const], disabled: true };
      const updated = await stripe.webhookEndpoints.update(endpoint.id, changes);
      expect(record('updated', updated)).toMatchObject({ status: 'disabled', enabled_events: ['invoice.paid'] });
      const listed = (await stripe.webhookEndpoints.list({ limit: 100 })).data;
      expect(listed.find(({ id }) => id === endpoint.id)).not.toHaveProperty('secret');
    } finally {
      record('deleted', await stripe.webhookEndpoints.del(endpoint.id));
    }
    const gone = stripe.webhookEndpoints.retrieve(endpoint.id);
    expect(await refusalOf('retrieved', gone)).toMatchObject({ status: 404 });
  }),

  standInCase('refuses what a restricted key may not do', async ({ refusalOf, stripe }, control) => {
    const key = `rk_test_${randomUUID().replaceAll('-', '')}`;
    await control.restrictKey(key, ['rak_webhook_write']);
    const endpoint = { url: 'https://example.com/contract', enabled_events: ['*' as const] };
    const attempt = stripe.webhookEndpoints.create(endpoint, { apiKey: key });
    const refusal = await refusalOf('refusal', attempt);
    expect(refusal).toMatchObject({ status: 403, type: 'invalid_request_error' });
    expect(refusal.message).toContain("Having the 'rak_webhook_write' permission");
    expect((await stripe.webhookEndpoints.list({}, { apiKey: key })).data).toEqual([]);
  }),
];
