import { BillingClient } from '@billing/client';
import { expect, it } from 'vitest';
import { Caller, ok } from '../../system/http.ts';
import { newSiblingProject, newTenant } from '../../system/tenant.ts';
import { CATALOG, CREATED, createdOf, ended, exported, runCatalog } from './run-catalog.ts';

const MONTHLY = { key: 'pro_monthly', unitAmount: 2_999, currency: 'usd', interval: 'month' } as const;
const PRO = { key: 'pro', name: 'Pro', prices: [MONTHLY] };
const SPRING = { key: 'spring', name: 'Spring', percentOff: 20, duration: 'once' } as const;
const document = { version: 1 as const, products: [PRO] };

const isRunning = { status: 409, code: 'sync_running' };
const forbidden = { status: 403, body: { error: { code: 'forbidden' } } };

/** Returns whether each finding was applied, and why not. */
const outcomesOf = (findings: Awaited<ReturnType<typeof runCatalog>>['findings']) =>
  findings.map(({ key, applied, reason }) => [key, applied, reason]);

it('runs one at a time for a team', async () => {
  const tenant = await newTenant();
  await tenant.processor.fail({ mode: 'held', method: 'POST', path: '/v1/products' });
  const running = await tenant.billing.catalog.apply({ catalog: document, mode: 'apply' });
  const other = await newSiblingProject(tenant);
  for (const { billing } of [tenant, other])
    await expect(billing.catalog.apply({ catalog: document, mode: 'report' })).rejects.toMatchObject(isRunning);
  await tenant.processor.clearFaults();
  expect(await ended(tenant, running)).toMatchObject({ status: 'completed' });
  await runCatalog(other, document, { mode: 'report' });
});

it('lets one of two applies at the same time run', async () => {
  const tenant = await newTenant();
  const both = await Promise.allSettled(
    [1, 2].map(() => tenant.billing.catalog.apply({ catalog: document, mode: 'apply' })),
  );
  const started = both.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = both.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toMatchObject([isRunning]);
  const runs = await Promise.all(started.map(one => ended(tenant, one)));
  expect(runs).toMatchObject([{ status: 'completed' }]);
});

it('goes on after it was canceled in the middle, and creates nothing twice', async () => {
  const tenant = await newTenant();
  await tenant.processor.fail({ mode: 'held', method: 'POST', path: '/v1/prices' });
  const running = await tenant.billing.catalog.apply({ catalog: CATALOG, mode: 'apply' });
  await expect.poll(async () => (await createdOf(tenant))['product']).toBe(3);
  expect(await tenant.billing.syncs.cancel(running.id)).toMatchObject({ status: 'canceled' });
  await tenant.processor.clearFaults();
  // What was on its way when it was canceled is finished beside it.
  await runCatalog(tenant, CATALOG, { mode: 'apply' });
  await runCatalog(tenant, CATALOG, { mode: 'apply' });
  expect((await runCatalog(tenant, CATALOG, { mode: 'report' })).findings).toEqual([]);
  expect(JSON.parse(await exported(tenant))).toMatchObject(CATALOG);
  expect(await createdOf(tenant)).toEqual(CREATED);
});

it('creates each once although responses of the processor are lost', async () => {
  const tenant = await newTenant();
  const { processor } = tenant;
  for (const path of ['/v1/products', '/v1/prices', '/v1/coupons', '/v1/promotion_codes']) {
    await processor.fail({ mode: 'done-but-response-lost', method: 'POST', path, times: 2 });
    await processor.fail({ mode: '500', method: 'POST', path, kept: false });
    await processor.fail({ mode: 'done-but-response-broken', method: 'POST', path });
  }
  const { findings } = await runCatalog(tenant, CATALOG, { mode: 'apply' });
  expect(findings.filter(({ applied }) => !applied)).toEqual([]);
  expect(await createdOf(tenant)).toEqual(CREATED);
  await processor.clearFaults();
  expect((await runCatalog(tenant, CATALOG, { mode: 'apply' })).findings).toEqual([]);
  expect(await createdOf(tenant)).toEqual(CREATED);
});

it('ends with what the processor refuses, and applies the rest', async () => {
  const tenant = await newTenant();
  const taken = await tenant.callProcessor('/v1/coupons', { percent_off: '10', duration: 'once' });
  await tenant.callProcessor('/v1/promotion_codes', {
    'promotion[type]': 'coupon',
    'promotion[coupon]': taken.id,
    code: 'SPRING20',
  });
  const catalog = {
    version: 1 as const,
    products: [
      { key: 'basic', name: 'Basic', taxCode: 'txcd_00000001', prices: [{ ...MONTHLY, key: 'basic_monthly' }] },
      PRO,
    ],
    coupons: [{ ...SPRING, promotionCodes: [{ code: 'SPRING20' }, { code: 'SPRING30' }] }],
    portal: { planSwitch: { enabled: true, priceKeys: ['basic_monthly', 'pro_monthly'] } },
  };
  const { findings } = await runCatalog(tenant, catalog, { mode: 'apply' });
  expect(outcomesOf(findings)).toEqual([
    ['spring', true, null],
    ['portal', false, 'The project has no price with the key "basic_monthly".'],
    ['basic_monthly', false, expect.any(String)],
    ['pro_monthly', true, null],
    ['basic', false, expect.stringContaining('tax code')],
    ['pro', true, null],
    ['SPRING20', false, expect.any(String)],
    ['SPRING30', true, null],
  ]);
  const again = await runCatalog(tenant, catalog, { mode: 'report' });
  expect(again.findings.map(({ key }) => key)).toEqual(['portal', 'basic_monthly', 'basic', 'SPRING20']);
});

it('leaves a twin alone unless it is adopted, and creates it no second time', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { key: _key, ...monthly } = MONTHLY;
  const product = await billing.products.create({ name: 'Pro' });
  const price = await billing.prices.create({ productId: product.id, ...monthly });
  const { key: _couponKey, ...spring } = SPRING;
  const coupon = await billing.coupons.create(spring);
  const catalog = { ...document, coupons: [SPRING] };
  const before = await createdOf(tenant);

  const refused = await runCatalog(tenant, catalog, { mode: 'apply' });
  expect(refused.findings.map(({ key, id, outcome, reason, applied }) => [key, id, outcome, reason, applied])).toEqual([
    ['spring', coupon.id, 'conflict', 'twin', false],
    ['pro_monthly', null, 'conflict', 'product_conflict', false],
    ['pro', product.id, 'conflict', 'twin', false],
  ]);
  const { findings } = await runCatalog(tenant, catalog, { mode: 'apply', adopt: true });
  expect(findings.map(({ key, id, action, applied }) => [key, id, action, applied])).toEqual([
    ['spring', coupon.id, 'update', true],
    ['pro_monthly', price.id, 'update', true],
    ['pro', product.id, 'update', true],
  ]);
  expect(await createdOf(tenant)).toEqual(before);
  expect((await runCatalog(tenant, catalog, { mode: 'report' })).findings).toEqual([]);
});

it('moves a promotion code from one coupon to another with prune', async () => {
  const tenant = await newTenant();
  const holding = (first: string[], second: string[]) => ({
    version: 1 as const,
    coupons: [
      { ...SPRING, promotionCodes: first.map(code => ({ code })) },
      { ...SPRING, key: 'summer', name: 'Summer', promotionCodes: second.map(code => ({ code })) },
    ],
  });
  await runCatalog(tenant, holding(['NEW10'], []), { mode: 'apply' });
  const moved = holding([], ['NEW10']);
  const refused = await runCatalog(tenant, moved, { mode: 'apply' });
  expect(outcomesOf(refused.findings)).toEqual([['NEW10', false, 'other_coupon']]);
  const { findings } = await runCatalog(tenant, moved, { mode: 'apply', prune: true });
  expect(findings.map(({ action, applied }) => [action, applied])).toEqual([['replace', true]]);
  expect((await runCatalog(tenant, moved, { mode: 'report', prune: true })).findings).toEqual([]);
  expect(
    (await runCatalog(tenant, JSON.parse(await exported(tenant)), { mode: 'report', prune: true })).findings,
  ).toEqual([]);
});

it('names every wrong place of a document', async () => {
  const { api, P } = await newTenant();
  const wrongPlaces = async (catalog: object) => {
    const { status, body } = await api.post(`${P}/catalog/apply`, { catalog, mode: 'report' });
    expect(status).toBe(400);
    return body.error.details.fields.map(({ path }: { path: string }) => path);
  };
  expect(
    await wrongPlaces({
      version: 1,
      features: [{ key: 'Seats', name: 'Seats', type: 'limit' }],
      products: [{ key: 'pro', name: '', prices: [{ ...MONTHLY, currency: 'xxx' }] }],
      portal: { pause: { maxDay: 3 } },
      customers: [],
    }),
  ).toHaveLength(5);
  expect(
    await wrongPlaces({
      version: 1,
      features: [{ key: 'plan', name: 'Plan', type: 'value' }],
      products: [PRO, { ...PRO, name: 'Other' }],
      coupons: [{ ...SPRING, amountOff: 500, promotionCodes: [{ code: 'A' }, { code: 'a' }] }],
      portal: { quantity: { min: 5, max: 3 } },
    }),
  ).toHaveLength(7);
});

it('wants of a key the scopes of what it reads and writes', async () => {
  const tenant = await newTenant();
  const { user, P, gatewayUrl, teamId, projectId } = tenant;
  const keyWith = async (scopes: readonly string[]) => {
    const { secret } = await ok(user.post(`${P}/api-keys`, { name: 'catalog', scopes }), 201);
    const api = new Caller({ authorization: `Bearer ${secret}` }, gatewayUrl);
    return { ...tenant, api, billing: new BillingClient({ baseUrl: gatewayUrl, apiKey: secret, teamId, projectId }) };
  };
  const keyed = await keyWith(['products:read', 'products:write']);
  const withPortal = { ...document, portal: { pause: { enabled: true } } };
  expect(await keyed.api.post(`${P}/catalog/apply`, { catalog: withPortal, mode: 'report' })).toMatchObject(forbidden);
  const { sync } = await runCatalog(keyed, document, { mode: 'apply' });
  expect((await keyed.billing.syncs.list({ kind: 'catalog' }).page()).items.map(({ id }) => id)).toEqual([sync.id]);
  expect(await ok(keyed.api.get(`${P}/syncs/${sync.id}/findings`))).toMatchObject({ findings: [{}, {}] });
  expect(await keyed.billing.syncs.cancel(sync.id)).toMatchObject({ status: 'completed' });

  const { id } = (await ok(user.post(`${P}/syncs`, { mode: 'report' }), 202)).sync;
  for (const path of ['/syncs', '/syncs?kind=account', `/syncs/${id}`, `/syncs/${id}/findings`])
    expect(await keyed.api.get(`${P}${path}`)).toMatchObject(forbidden);
  expect(await keyed.api.post(`${P}/syncs/${id}/cancel`)).toMatchObject(forbidden);
  await ended(tenant, { id });

  const reading = await keyWith(['products:read']);
  expect(await reading.api.post(`${P}/catalog/apply`, { catalog: document, mode: 'report' })).toMatchObject(forbidden);
  expect(await ok(reading.api.get(`${P}/syncs/${sync.id}`))).toMatchObject({ sync: { id: sync.id } });
  expect(await reading.api.post(`${P}/syncs/${sync.id}/cancel`)).toMatchObject(forbidden);
  const both = await keyWith(['products:write', 'products:read', 'subscriptions:write']);
  await runCatalog(both, withPortal, { mode: 'apply' });
});
