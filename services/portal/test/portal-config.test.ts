import { randomUUID } from 'node:crypto';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { PriceId, ProjectId, PromotionCodeId, TeamId } from '@billing/contracts/ids';
import { DEFAULT_PORTAL_CONFIG } from '@billing/contracts/resources/portal-config';
import { FindPortalConfig, SetPortalConfig } from '@billing/contracts/rpc/catalog';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { expect, it } from 'vitest';
import { forgetOffers } from '../src/jobs/forget-offers.ts';
import { findPortalConfig } from '../src/persistence/portal-config.entity.ts';
import { aPrice, aPromotionCode } from './catalog-samples.ts';
import { startService, type Service } from './start-service.ts';

it('has everything off until it is set, and for other projects afterwards', async () => {
  await using service = await startService();
  expect((await get(service)).body).toEqual({ portalConfig: DEFAULT_PORTAL_CONFIG });
  const brand = { name: ' Analytical Engines ', accentColor: '#1A7F5A', supportUrl: 'https://help.example' };
  const set = await put(service, { brand, planSwitch: null, defaultLanguage: 'de' });
  expect(set.status).toBe(200);
  const wanted = {
    ...DEFAULT_PORTAL_CONFIG,
    defaultLanguage: 'de',
    brand: { ...DEFAULT_PORTAL_CONFIG.brand, ...brand, name: 'Analytical Engines', accentColor: '#1a7f5a' },
  };
  expect(set.body).toEqual({ portalConfig: wanted });
  expect((await get(service)).body).toEqual({ portalConfig: wanted });
  expect((await put(service, {})).body).toEqual({ portalConfig: DEFAULT_PORTAL_CONFIG });
  await put(service, wanted);
  const { em } = service.database;
  for (const changed of [{ projectId: ProjectId.create() }, { teamId: TeamId.create() }])
    expect(await findPortalConfig(em.fork(), { ...service.scope, ...changed })).toEqual(DEFAULT_PORTAL_CONFIG);
});

it('offers only recurring prices and promotion codes of the project', async () => {
  await using service = await startService();
  const [plan, oneTime, offer] = [aPrice(service), aPrice(service, { type: 'one_time' }), aPromotionCode(service)];
  service.otherServices.prices = [plan, oneTime];
  service.otherServices.promotionCodes = [offer];
  const saveOffer = { promotionCodeId: offer.promotionCode.id };
  const planSwitch = { enabled: true, priceIds: [plan.price.id] };
  const wanted = { planSwitch, cancellation: { askReason: true, saveOffer } };
  const codeOf = async (body: object) => {
    const { status, body: received } = await put(service, body);
    return [status, received.error?.code];
  };
  expect((await put(service, wanted)).status).toBe(200);
  const missing = PriceId.create();
  expect(await codeOf({ planSwitch: { priceIds: [plan.price.id, missing] } })).toEqual([404, 'price_not_found']);
  expect(await codeOf({ planSwitch: { priceIds: [oneTime.price.id] } })).toEqual([422, 'price_type_mismatch']);
  expect(await codeOf({ cancellation: { saveOffer: { promotionCodeId: PromotionCodeId.create() } } })).toEqual([
    404,
    'promotion_code_not_found',
  ]);
  for (const invalid of [
    { planSwitch: { priceIds: [plan.price.id, plan.price.id] } },
    { quantity: { min: 5, max: 4 } },
    { defaultLanguage: 'eo' },
    { brand: { logo: null } },
  ])
    expect(await codeOf(invalid)).toEqual([400, 'validation_error']);
  const { portalConfig } = (await get(service)).body;
  expect(portalConfig).toMatchObject(wanted);
  await service.otherServices.stop('prices');
  expect(await codeOf(wanted)).toEqual([503, 'unavailable']);
});

it('refuses addresses, colours and names that could harm the page', async () => {
  await using service = await startService();
  for (const brand of [
    { logoUrl: 'http://cdn.example/logo.png' },
    { logoUrl: "https://cdn.example;script-src'unsafe-inline'/logo.png" },
    { logoUrl: 'https://cdn.example,evil.example/logo.png' },
    { logoUrl: 'data:image/svg+xml,<svg onload="alert(1)"/>' },
    { supportUrl: 'javascript:alert(1)' },
    { supportUrl: 'mailto:help' },
    { supportUrl: 'mailto:help@acme.example?bcc=else@evil.example' },
    { returnUrl: 'mailto:help@acme.example' },
    { returnUrl: 'https://shop.example\\@evil.example' },
    { returnUrl: '//evil.example' },
    { accentColor: 'red' },
    { accentColor: '#fff' },
    { accentColor: '#000000;}body{display:none' },
    { accentColor: '#0000\n00' },
    { name: '\u200b\u202e' },
    { name: 'x'.repeat(121) },
  ])
    expect((await put(service, { brand })).body, JSON.stringify(brand)).toMatchObject({
      error: { code: 'validation_error' },
    });
});

it('records each field that changes', async () => {
  await using service = await startService();
  await put(service, { quantity: { enabled: true, max: 9 }, brand: { name: 'Engines' }, defaultLanguage: 'sv' });
  await put(service, { quantity: { enabled: true, max: 9 } });
  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  expect(entries).toMatchObject([
    {
      action: 'setPortalConfig',
      target: { type: 'portal_config', id: service.scope.projectId },
      changes: [
        { field: 'quantity.enabled', from: false, to: true },
        { field: 'quantity.max', from: 999_999, to: 9 },
        { field: 'brand.name', from: null, to: 'Engines' },
        { field: 'defaultLanguage', from: 'en', to: 'sv' },
      ],
    },
    {
      changes: [
        { field: 'brand.name', from: 'Engines', to: null },
        { field: 'defaultLanguage', from: 'sv', to: 'en' },
      ],
    },
  ]);
});

it('keeps the look, but nothing of the account, when the account’s records are deleted', async () => {
  await using service = await startService();
  const [plan, offer] = [aPrice(service), aPromotionCode(service)];
  Object.assign(service.otherServices, { prices: [plan], promotionCodes: [offer] });
  const cancellation = { askReason: true, saveOffer: { promotionCodeId: offer.promotionCode.id } };
  const brand = { name: 'Engines' };
  await put(service, { planSwitch: { enabled: true, priceIds: [plan.price.id] }, cancellation, brand });
  const { em } = service.database;
  await forgetOffers(em, TeamId.create());
  expect((await get(service)).body).toMatchObject({ portalConfig: { cancellation } });
  await forgetOffers(em, service.scope.teamId);
  expect((await get(service)).body).toMatchObject({
    portalConfig: { planSwitch: { enabled: true, priceIds: [] }, cancellation: { saveOffer: null }, brand },
  });
});

it('requires subscriptions:read to get and subscriptions:write to set', async () => {
  await using service = await startService();
  const as = (scope: 'subscriptions:read' | 'subscriptions:write') =>
    service.identity.asKey({ ...service.scope, scopes: [scope] });
  const [got, set] = [
    await service.call('GET', pathOf(service), { as: as('subscriptions:write') }),
    await service.call('PUT', pathOf(service), { as: as('subscriptions:read'), body: {} }),
  ];
  expect(got.body).toMatchObject({ error: { details: { requiredScope: 'subscriptions:read' } } });
  expect(set.body).toMatchObject({ error: { details: { requiredScope: 'subscriptions:write' } } });
});

it('offers the newest active prices with the keys that are named', async () => {
  await using service = await startService();
  const [monthly, yearly] = [aPrice(service, { key: 'pro_monthly' }), aPrice(service, { key: 'pro_yearly' })];
  service.otherServices.prices = [monthly, yearly];
  const set = await put(service, { planSwitch: { enabled: true, priceKeys: ['pro_yearly', 'pro_monthly'] } });
  expect(set).toMatchObject({ status: 200, body: { portalConfig: { planSwitch: { enabled: true } } } });
  const { planSwitch } = (await get(service)).body.portalConfig;
  expect(planSwitch.priceIds).toEqual([yearly.price.id, monthly.price.id]);
  expect(planSwitch).not.toHaveProperty('priceKeys');
  const missing = await put(service, { planSwitch: { priceKeys: ['none'] } });
  expect(missing).toMatchObject({ status: 404, body: { error: { code: 'price_not_found' } } });
  for (const invalid of [
    { priceKeys: ['pro_monthly', 'pro_monthly'] },
    { priceKeys: ['pro_monthly'], priceIds: [yearly.price.id] },
    { priceKeys: ['No key'] },
  ])
    expect(await put(service, { planSwitch: invalid })).toMatchObject({ status: 400 });
});

it('is read and set by an apply, once for one operation key', async () => {
  await using service = await startService();
  await service.run();
  const { scope } = service;
  const wanted = { ...DEFAULT_PORTAL_CONFIG, defaultLanguage: 'de' as const };
  const request = { ...scope, operationKey: randomUUID(), audit: testAuditContext(), portalConfig: wanted };
  for (let repeat = 0; repeat < 2; repeat += 1) await service.rpc.call(SetPortalConfig, request);
  expect(await service.rpc.call(FindPortalConfig, scope)).toEqual(wanted);
  expect(await service.published(AuditRecorded)).toMatchObject([{ data: { target: { type: 'portal_config' } } }]);
});

const pathOf = ({ scope: { teamId, projectId } }: Service) =>
  `/api/service/teams/${teamId}/projects/${projectId}/portal-config`;
const get = (service: Service) => service.call('GET', pathOf(service));
const put = (service: Service, body: object) => service.call('PUT', pathOf(service), { body });
