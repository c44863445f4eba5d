import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, expect, it } from 'vitest';
import { canceledSync } from '../system/canceled-sync.ts';
import { newFailedCredit } from '../system/failed-credit.ts';
import { ok } from '../system/http.ts';
import { newOpenInvoice } from '../system/open-invoice.ts';
import { newPayment } from '../system/payment.ts';
import { newPriceMigration } from '../system/price-migration.ts';
import { newPromotionCode } from '../system/promotion-code.ts';
import { eventOf, newDelivery, newWebhookEndpoint } from '../system/sent-event.ts';
import { newCustomer, newEmail, newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';

let tenant: Tenant;
let sold: Awaited<ReturnType<typeof newMonthlyPrice>>;
beforeAll(async () => {
  tenant = await newTenant();
  sold = await newMonthlyPrice(tenant);
  await tenant.billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 0, refereeCreditAmount: 0 });
});

const REPLAYED = 'idempotent-replayed';

it('replays a POST under its Idempotency-Key, which no other request may use', async () => {
  const { api, P } = tenant;
  const body = { email: newEmail(), name: 'Ada' };
  const key = { 'idempotency-key': crypto.randomUUID() };
  const first = await api.post(`${P}/customers`, body, key);
  const again = await api.post(`${P}/customers`, { name: body.name, email: body.email }, key);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  expect([first.headers.get(REPLAYED), again.headers.get(REPLAYED)]).toEqual([null, 'true']);

  const reused = { status: 422, body: { error: { code: 'idempotency_key_reused' } } };
  expect(await api.post(`${P}/customers`, { ...body, name: 'Eve' }, key)).toMatchObject(reused);
  for (const wrong of ['', 'a'.repeat(256)])
    expect(await api.post(`${P}/products`, { name: 'x' }, { 'idempotency-key': wrong })).toMatchObject({ status: 400 });
});

it('replays an error under its key, and separates the keys of projects', async () => {
  const { user, P } = tenant;
  const other = await newTenant();
  const key = { 'idempotency-key': 'shared-key' };
  const expired = { name: 'x', scopes: ['products:read'], expiresAt: '2020-01-01T00:00:00Z' };
  const rejected = await user.post(`${P}/api-keys`, expired, key);
  const again = await user.post(`${P}/api-keys`, expired, key);
  expect(rejected.status).toBe(400);
  expect(again).toMatchObject({ status: 400, body: rejected.body });
  expect(again.headers.get(REPLAYED)).toBe('true');
  const created = await other.api.post(`${other.P}/customers`, { email: newEmail() }, key);
  expect(created.status).toBe(201);
  expect(created.headers.get(REPLAYED)).toBeNull();
});

it('runs concurrent requests under one key once', async () => {
  const { api, P, processor } = tenant;
  const before = (await processor.ledger()).objects.length;
  const key = { 'idempotency-key': crypto.randomUUID() };
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => api.post(`${P}/products`, { name: 'Once' }, key)),
  );
  const created = responses.filter(({ status }) => status === 201);
  expect(new Set(created.map(({ body }) => body.product.id)).size).toBe(1);
  const rejected = responses.filter(
    ({ status, body }) => status === 409 && body.error.code === 'idempotency_key_in_use',
  );
  expect(created.length + rejected.length).toBe(10);
  expect((await processor.ledger()).objects.slice(before)).toHaveLength(1);
});

it.each(
  allOperations
    .filter(({ method, access }) => method === 'POST' && access.kind === 'project')
    .map(({ id, path, example, status }) => ({ id, path, example, status })),
)('replays $id under its key', async ({ path, example, status }) => {
  const { api, P } = tenant;
  const { productId, priceId } = sold;
  const customerId = await newCustomer(tenant);
  const subscriptionId = path.includes(':subscriptionId') ? (await newSubscription(tenant, priceId)).id : '';
  const own: Record<string, unknown> = {
    ...(subscriptionId && (await previewed(tenant, subscriptionId, { priceId, quantity: 8 }))),
    ...(path.endsWith('/promotion-codes') && { couponId: (await newPromotionCode(tenant)).couponId }),
    productId,
    priceId,
    fromPriceId: priceId,
    ...(path.endsWith('/price-migrations') && { toPriceId: (await newMonthlyPrice(tenant)).priceId }),
    customerId,
    refereeCustomerId: customerId,
    ...(path.endsWith('/apply') && { code: await newCode(tenant) }),
    email: newEmail(),
    ...(path.endsWith('/send') && { eventId: await eventOf(tenant, customerId) }),
    since: new Date(Date.now() - 3_600_000).toISOString(),
  };
  const body = Object.fromEntries(
    Object.entries(example.body ?? {}).map(([name, value]) => [name, own[name] ?? value]),
  );
  const key = { 'idempotency-key': crypto.randomUUID() };
  const below = path.slice(path.indexOf(':projectId') + ':projectId'.length);
  const url =
    P +
    below
      .replace(':subscriptionId', subscriptionId)
      .replace(':syncId', below.includes(':syncId') ? await canceledSync(tenant) : '')
      .replace(':priceMigrationId', below.includes(':priceMigrationId') ? await newPriceMigration(tenant, priceId) : '')
      .replace(':invoiceId', below.includes(':invoiceId') ? await newOpenInvoice(tenant, priceId) : '')
      .replace(':paymentId', below.includes(':paymentId') ? await newPayment(tenant, priceId) : '')
      .replace(':webhookEndpointId', below.includes(':webhookEndpointId') ? await newWebhookEndpoint(tenant) : '')
      .replace(
        ':webhookDeliveryId',
        below.includes(':webhookDeliveryId') ? (await newDelivery(tenant, customerId)).webhookDeliveryId : '',
      )
      .replace(':creditId', below.includes(':creditId') ? await newFailedCredit(tenant, { priceId }) : '');
  const first = await ok(api.post(url, body, key), status);
  const again = await api.post(url, body, key);
  expect(again).toMatchObject({ status, body: first });
  expect(again.headers.get(REPLAYED)).toBe('true');
});

async function newCode(of: Tenant): Promise<string> {
  return (await of.billing.referrals.createCode({ customerId: await newCustomer(of) })).code;
}

/** What confirms the change that the example makes. */
async function previewed({ billing }: Tenant, id: string, change: { priceId: string; quantity: number }) {
  const { prorationDate, amountDue } = await billing.subscriptions.previewChange(id, change);
  return { prorationDate, expectedAmountDue: amountDue };
}

it('lists newest first, in pages of at most a hundred', async () => {
  const { api, P, billing } = await newTenant();
  const created: string[] = [];
  for (let index = 0; index < 3; index += 1)
    created.unshift((await billing.customers.create({ email: newEmail() })).id);
  const page = async (query: string) => {
    const { customers, pagination } = await ok(api.get(`${P}/customers${query}`));
    return { ids: customers.map(({ id }: { id: string }) => id), pagination };
  };
  const whole = { offset: 0, total: 3, totalIsExact: true };
  expect(await page('')).toEqual({
    ids: created,
    pagination: { ...whole, limit: 50, hasMore: false, nextCursor: null },
  });
  expect(await page('?limit=2')).toEqual({
    ids: created.slice(0, 2),
    pagination: { ...whole, limit: 2, hasMore: true, nextCursor: expect.any(String) },
  });
  expect(await page('?limit=2&offset=2')).toMatchObject({ ids: created.slice(2), pagination: { hasMore: false } });
  expect(await page('?limit=1000')).toMatchObject({ ids: created, pagination: { limit: 100 } });
  expect(await page('?offset=10')).toMatchObject({ ids: [], pagination: { total: 3, hasMore: false } });
});

it.each([
  ['/customers?limit=0', 'limit'],
  ['/customers?limit=-1', 'limit'],
  ['/customers?limit=1.5', 'limit'],
  ['/customers?offset=-1', 'offset'],
  ['/customers?limit=1&limit=2', 'limit'],
  ['/customers?page=2', 'page'],
  ['/products?activeOnly=yes', 'activeOnly'],
  ['/prices?productId=prod_1', 'productId'],
  ['/analytics?growthDays=366', 'growthDays'],
  ['/analytics/history?days=0', 'days'],
  ['/invoices?status=late', 'status'],
  ['/payments?status=late', 'status'],
])('names the invalid parameter of %s', async (path, field) => {
  const { status, body } = await tenant.api.get(tenant.P + path);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 'validation_error', requestId: expect.any(String) });
  expect(body.error.details.fields.map(({ path: at }: { path: string }) => at)).toEqual([field]);
});

it('rejects large bodies, missing bodies, forms and unknown paths', async () => {
  const { api, P } = tenant;
  const large = await api.post(`${P}/customers`, { email: newEmail(), name: 'a'.repeat(1_100_000) });
  expect(large).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
  expect(await api.send('POST', `${P}/customers`)).toMatchObject({ status: 400 });
  expect(await api.send('POST', `${P}/customers`, new URLSearchParams({ email: newEmail() }))).toMatchObject({
    status: 415,
    body: { error: { code: 'unsupported_media_type' } },
  });
  expect(await api.get(`${P}/unknown`)).toMatchObject({ status: 404, body: { error: { code: expect.any(String) } } });
});
