import { signatureOf } from '@billing/testing/signed-webhooks';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ANALYTICS_METRICS } from '@billing/contracts/resources/analytics';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, inject, it } from 'vitest';
import { openDocumentedApi, type DocumentedApi } from '../system/documented-api.ts';
import { Caller, ok } from '../system/http.ts';
import { codeOf, createResetLink } from '../system/account.ts';
import { newOpenInvoice } from '../system/open-invoice.ts';
import { newPromotionCode } from '../system/promotion-code.ts';
import { newFailedCredit } from '../system/failed-credit.ts';
import { newTenant, payOnHostedPage, type Tenant } from '../system/tenant.ts';

// Every response is checked against the OpenAPI document. The last test checks that every operation succeeded once.

const random = () => randomBytes(8).toString('hex');
const newEmail = () => `${random()}@example.com`;
const URLS = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };

let documented: DocumentedApi;
let tenant: Tenant;
/** The developer, signed in with a session. */
let user: Caller;
/** The tenant's backend, with an API key. */
let api: Caller;
/** A caller without credentials. */
let anonymous: Caller;
let P: string;

beforeAll(async () => {
  documented = await openDocumentedApi();
  tenant = await newTenant();
  ({ P } = tenant);
  user = documented.verify(tenant.user);
  api = documented.verify(tenant.api);
  anonymous = documented.verify(new Caller({ origin: inject('gatewayUrl') }));
});

const newCustomer = async (): Promise<string> =>
  (await ok(api.post(`${P}/customers`, { email: newEmail() }), 201)).customer.id;

async function newPrice(fields: object = { interval: 'month' }): Promise<{ productId: string; priceId: string }> {
  const { product } = await ok(api.post(`${P}/products`, { name: 'Pro' }), 201);
  const request = { productId: product.id, unitAmount: 2_999, currency: 'usd', ...fields };
  const { price } = await ok(api.post(`${P}/prices`, request), 201);
  return { productId: product.id, priceId: price.id };
}

async function newSubscription(): Promise<{ customerId: string; subscriptionId: string }> {
  const [{ priceId }, customerId] = [await newPrice(), await newCustomer()];
  const { url } = await ok(api.post(`${P}/checkout`, { customerId, priceId, ...URLS }), 201);
  await payOnHostedPage(url);
  const list = `${P}/subscriptions?customerId=${customerId}`;
  const subscriptionId = await waitFor(
    async () => (await ok(api.get(list))).subscriptions[0]?.id as string | undefined,
    {
      what: 'the subscription',
    },
  );
  return { customerId, subscriptionId };
}

it('documents sign-in', async () => {
  const visitor = documented.verify(new Caller({ origin: inject('gatewayUrl') }));
  const credentials = { email: newEmail(), password: `pw-${random()}` };
  await ok(visitor.get('/api/auth/get-session'));
  await ok(visitor.post('/api/auth/sign-up/email', { ...credentials, name: 'Grace' }));
  expect((await visitor.post('/api/auth/sign-up/email', { ...credentials, name: 'Grace' })).status).toBe(422);
  expect((await visitor.post('/api/auth/sign-in/email', { ...credentials, password: 'wrong' })).status).toBe(401);
  expect((await visitor.post('/api/auth/sign-in/email', {})).status).toBe(400);
  await ok(visitor.post('/api/auth/sign-in/email', credentials));
  expect((await ok(visitor.get('/api/auth/get-session'))).user.email).toBe(credentials.email);
  const { token } = (await ok(visitor.get('/api/auth/list-sessions')))[0];
  await ok(visitor.post('/api/auth/revoke-session', { token }));
  await ok(visitor.post('/api/auth/sign-in/email', credentials));
  await ok(visitor.post('/api/auth/revoke-other-sessions'));
  await ok(visitor.post('/api/auth/update-user', { name: 'Grace Hopper' }));
  await ok(visitor.post('/api/auth/sign-out'));
  expect((await visitor.get('/api/auth/list-sessions')).status).toBe(401);
});

it('documents passwords and the second factor', async () => {
  const visitor = documented.verify(new Caller({ origin: inject('gatewayUrl') }));
  const [email, first, second] = [newEmail(), `pw-${random()}`, `pw-${random()}`];
  await ok(visitor.post('/api/auth/sign-up/email', { email, password: first, name: 'Grace' }));
  await ok(visitor.post('/api/auth/verify-password', { password: first }));
  expect((await visitor.post('/api/auth/verify-password', { password: 'wrong' })).status).toBe(400);
  const change = { currentPassword: first, newPassword: second };
  expect((await visitor.post('/api/auth/change-password', { ...change, newPassword: 'qwertyuiop' })).status).toBe(400);
  await ok(visitor.post('/api/auth/change-password', change));
  const known = await visitor.post('/api/auth/request-password-reset', { email });
  expect(known.body.error.code).toBe('reset_password_disabled');
  const unknownLink = await visitor.post('/api/auth/verify-email', { password: first, token: 'x' });
  expect(unknownLink.body.error.code).toBe('invalid_token');
  const link = await createResetLink(inject('dataDir'), email);
  const reset = { newPassword: first, token: link.split('#')[1] };
  await ok(visitor.post('/api/auth/reset-password', reset));
  expect((await visitor.post('/api/auth/reset-password', reset)).body.error.code).toBe('invalid_token');

  await ok(visitor.post('/api/auth/sign-in/email', { email, password: first }));
  const password = { password: first };
  expect((await visitor.post('/api/auth/two-factor/generate-backup-codes', password)).status).toBe(400);
  expect((await visitor.post('/api/auth/two-factor/verify-totp', { code: '000000' })).status).toBe(400);
  const { totpURI, backupCodes } = await ok(visitor.post('/api/auth/two-factor/enable', password));
  await ok(visitor.post('/api/auth/two-factor/verify-totp', { code: codeOf(totpURI) }));
  expect((await visitor.post('/api/auth/two-factor/enable', password)).status).toBe(400);
  const codes = await ok(visitor.post('/api/auth/two-factor/generate-backup-codes', password));
  await ok(visitor.post('/api/auth/sign-out'));
  expect(await ok(visitor.post('/api/auth/sign-in/email', { email, password: first }))).toEqual({
    twoFactorRedirect: true,
    twoFactorMethods: ['totp'],
  });
  const verifyBackupCode = (code: string) => visitor.post('/api/auth/two-factor/verify-backup-code', { code });
  expect((await verifyBackupCode(backupCodes[0])).status).toBe(401);
  await ok(verifyBackupCode(codes.backupCodes[0]));
  await ok(visitor.post('/api/auth/two-factor/disable', password));
  await ok(visitor.post('/api/auth/revoke-sessions'));
});

it('documents teams, members and projects', async () => {
  const colleague = { email: newEmail(), password: `pw-${random()}`, name: 'Grace' };
  const signedUp = documented.verify(new Caller({ origin: inject('gatewayUrl') }));
  await ok(signedUp.post('/api/auth/sign-up/email', colleague));
  const { team } = await ok(user.post('/api/service/teams', { name: 'Another' }), 201);
  await ok(user.get('/api/service/teams'));
  const at = `/api/service/teams/${team.id}`;
  await ok(user.patch(at, { name: 'Another name' }));
  const invite = (email: string) => user.post(`${at}/members`, { email, role: 'member' });
  const { invitation } = await ok(invite(colleague.email), 202);
  const accept = `/api/service/invitations/${invitation.url.split('#')[1]}/accept`;
  expect((await user.post(accept)).status).toBe(404);
  const { member } = await ok(signedUp.post(accept));
  expect((await invite(colleague.email)).status).toBe(409);
  const { invitation: other } = await ok(invite(newEmail()), 202);
  await ok(user.get(`${at}/invitations`));
  await ok(user.delete(`${at}/invitations/${other.id}`));
  expect((await user.delete(`${at}/invitations/${other.id}`)).status).toBe(404);
  await ok(user.get(`${at}/members`));
  await ok(user.delete(`${at}/members/${member.userId}`));
  expect((await user.delete(`${at}/members/${member.userId}`)).status).toBe(404);
  const { project } = await ok(user.post(`${at}/projects`, { name: 'Shop' }), 201);
  await ok(user.get(`${at}/projects`));
  await ok(user.get(`${at}/projects/${project.id}`));
  await ok(user.patch(`${at}/projects/${project.id}`, { name: 'Web shop' }));
  await ok(user.get(`${at}/audit-log?action=updateProject`));
  expect((await user.get(`${at}/projects/${tenant.projectId}`)).status).toBe(404);
  expect((await api.get('/api/service/teams')).status).toBe(403);
  expect((await anonymous.get('/api/service/teams')).status).toBe(401);
});

it('documents API keys and their idempotent creation', async () => {
  const request = { name: 'ci', scopes: ['products:read'], expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
  const repeatable = { 'idempotency-key': random() };
  const { apiKey } = await ok(user.post(`${P}/api-keys`, request, repeatable), 201);
  expect((await user.post(`${P}/api-keys`, request, repeatable)).headers.get('idempotent-replayed')).toBe('true');
  expect((await user.post(`${P}/api-keys`, { ...request, name: 'x' }, repeatable)).status).toBe(422);
  expect((await user.post(`${P}/api-keys`, { ...request, scopes: ['everything'] })).status).toBe(400);
  await ok(user.get(`${P}/api-keys`));
  const { secret } = await ok(user.post(`${P}/api-keys/${apiKey.id}/rotate`, {}), 201);
  const reader = documented.verify(new Caller({ authorization: `Bearer ${secret}` }));
  expect((await reader.post(`${P}/products`, { name: 'x' })).body.error.details).toEqual({
    requiredScope: 'products:write',
  });
  await ok(user.delete(`${P}/api-keys/${apiKey.id}`));
  expect((await user.delete(`${P}/api-keys/${apiKey.id}`)).status).toBe(404);
});

it('documents products and prices', async () => {
  const { productId, priceId } = await newPrice();
  await newPrice({ type: 'one_time' });
  const [product, price] = [`${P}/products/${productId}`, `${P}/prices/${priceId}`];
  await ok(api.get(`${P}/products?activeOnly=false&limit=5`));
  await ok(api.get(product));
  await ok(api.patch(product, { description: 'Everything', metadata: { tier: 'pro' } }));
  await ok(api.get(`${P}/prices?productId=${productId}`));
  await ok(api.get(price));
  await ok(api.patch(price, { isActive: false }));
  expect((await api.patch(price, { unitAmount: 1 })).status).toBe(400);
  await ok(api.delete(price));
  expect((await api.get(price)).status).toBe(404);
  await ok(api.patch(product, { isActive: false }));
  const another = { productId, unitAmount: 1, currency: 'usd', interval: 'month' };
  expect((await api.post(`${P}/prices`, another)).status).toBe(422);
  await ok(api.delete(product));
  expect((await api.get(product)).status).toBe(404);
});

it('documents customers', async () => {
  const email = newEmail();
  const { customer } = await ok(api.post(`${P}/customers`, { email, name: 'Ada', metadata: { a: 'b' } }), 201);
  expect((await api.post(`${P}/customers`, { email })).status).toBe(409);
  expect((await api.post(`${P}/customers`, { email: 'nonsense' })).status).toBe(400);
  await ok(api.get(`${P}/customers?limit=1&offset=0`));
  const at = `${P}/customers/${customer.id}`;
  await ok(api.get(at));
  await ok(api.patch(at, { name: 'Ada King' }));
  await ok(api.delete(at));
  expect((await api.get(at)).status).toBe(404);
});

it('documents checkout, subscriptions, invoices, payments and analytics', async () => {
  const { customerId, subscriptionId } = await newSubscription();
  const { priceId } = await newPrice({ type: 'one_time' });
  expect((await api.post(`${P}/checkout`, { customerId, priceId, ...URLS })).status).toBe(422);
  const at = `${P}/subscriptions/${subscriptionId}`;
  await ok(api.get(at));
  await ok(api.patch(at, { cancelAtPeriodEnd: true }));
  const invoiceId = await waitFor(
    async () =>
      (await ok(api.get(`${P}/invoices?customerId=${customerId}&status=paid`))).invoices[0]?.id as string | undefined,
    { what: 'the invoice' },
  );
  const paymentId = await waitFor(
    async () => (await ok(api.get(`${P}/payments?customerId=${customerId}`))).payments[0]?.id as string | undefined,
    { what: 'the payment' },
  );
  await ok(api.get(`${P}/invoices/${invoiceId}`));
  await ok(api.get(`${P}/payments/${paymentId}`));
  await ok(api.post(`${P}/payments/${paymentId}/refund`, { amount: 1, reason: 'duplicate' }), 201);
  expect((await api.post(`${P}/payments/${paymentId}/refund`, { amount: 999_999 })).status).toBe(422);
  expect((await api.post(`${P}/invoices/${invoiceId}/void`)).status).toBe(422);
  expect((await api.post(`${P}/invoices/${invoiceId}/retry`)).status).toBe(422);
  const renewed = (await newPrice()).priceId;
  const [open, retried] = [await newOpenInvoice(tenant, renewed), await newOpenInvoice(tenant, renewed)];
  expect((await ok(api.get(`${P}/dunning?status=recovering`))).cases).toHaveLength(2);
  await ok(api.post(`${P}/invoices/${retried}/retry`));
  await ok(api.post(`${P}/invoices/${open}/mark-uncollectible`));
  await ok(api.post(`${P}/invoices/${open}/void`));
  await ok(api.get(`${P}/payments/totals?growthDays=7`));
  await ok(api.get(`${P}/invoices?pastDue=true`));
  await ok(api.get(`${P}/analytics?growthDays=7`));
  await ok(api.get(`${P}/analytics/history?days=7&step=3`));
  await ok(api.get(`${P}/analytics/cancellations?growthDays=7`));
  for (const metric of ANALYTICS_METRICS)
    await ok(api.get(`${P}/analytics/subscriptions?metric=${metric}&growthDays=7`));
  await ok(api.get(`${P}/analytics/customers?ids=${customerId}`));
  await ok(api.get(`${P}/analytics/subscriptions?metric=mrr&currency=eur`));
  await ok(api.get(`${P}/analytics/subscriptions?metric=newMrr&from=2026-01-01&to=2026-01-31`));
  await ok(api.delete(at));
  expect((await api.patch(at, { cancelAtPeriodEnd: false })).status).toBe(422);
  await ok(api.get(`${P}/subscriptions?activeOnly=false`));
});

it('documents the portal', async () => {
  const { customerId, subscriptionId } = await newSubscription();
  const { token, sessionId } = await ok(api.post(`${P}/portal`, { customerId, ttlMs: 60_000 }), 201);
  await ok(anonymous.get(`/portal/${token}?tab=invoices`));
  const at = `/api/portal/${token}/subscriptions/${subscriptionId}`;
  await ok(anonymous.patch(at, { cancelAtPeriodEnd: true }));
  await ok(anonymous.patch(at, { cancelAtPeriodEnd: false }));
  await ok(anonymous.post(`/api/portal/${token}/setup-intent`));
  await ok(api.get(`${P}/portal-config`));
  expect((await anonymous.post(`${at}/change`, { quantity: 2 })).body.error.code).toBe('price_not_offered');
  await ok(api.put(`${P}/portal-config`, { quantity: { enabled: true, max: 9 }, brand: { accentColor: '#1a7f5a' } }));
  expect((await api.put(`${P}/portal-config`, { brand: { accentColor: 'red' } })).status).toBe(400);
  const { url } = await ok(
    api.post(`${P}/portal-config/preview`, { portalConfig: { brand: { name: 'Acme' } }, language: 'de' }),
  );
  expect(await ok(anonymous.get(url))).toContain('Acme');
  await ok(anonymous.post(`${at}/change/preview`, { quantity: 2 }));
  await ok(anonymous.post(`${at}/change`, { quantity: 2 }));
  await ok(api.post(`${P}/subscriptions/${subscriptionId}/change`, { quantity: 1, when: 'period_end' }));
  await ok(anonymous.delete(`${at}/change`));
  expect((await anonymous.delete(`${at}/change`)).body.error.code).toBe('change_not_found');
  const { id: promotionCodeId } = await newPromotionCode(tenant);
  await ok(api.put(`${P}/portal-config`, { cancellation: { saveOffer: { promotionCodeId } } }));
  await ok(anonymous.post(`${at}/save-offer`));
  expect((await anonymous.post(`${at}/save-offer`)).body.error.code).toBe('save_offer_not_available');
  expect((await anonymous.patch(at.replace(token, 'nonsense'), { cancelAtPeriodEnd: true })).status).toBe(404);
  expect((await anonymous.get('/portal/nonsense')).status).toBe(404);
  expect((await api.post(`${P}/portal`, { customerId: 'pc_00000000000000000000' })).status).toBe(404);
  expect((await ok(api.get(`${P}/portal/sessions?customerId=${customerId}`))).sessions).toHaveLength(1);
  await ok(api.delete(`${P}/portal/sessions/${sessionId}`));
  expect((await api.delete(`${P}/portal/sessions/portal_sess_00000000000000000000`)).status).toBe(404);
});

it('documents referrals', async () => {
  const [referrer, referee] = [await newCustomer(), await newCustomer()];
  const at = `${P}/referrals`;
  await ok(api.get(`${at}/config`));
  const { code } = await ok(api.post(`${at}/codes`, { customerId: referrer }), 201);
  expect((await api.post(`${at}/codes`, { customerId: referrer })).status).toBe(409);
  const apply = { code: code.code, refereeCustomerId: referee };
  expect((await api.post(`${at}/apply`, apply)).status).toBe(422);
  await ok(api.put(`${at}/config`, { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 }));
  await ok(api.post(`${at}/apply`, apply), 201);
  expect((await api.post(`${at}/apply`, apply)).status).toBe(409);

  const { priceId } = await newPrice();
  const { url } = await ok(api.post(`${P}/checkout`, { customerId: referee, priceId, ...URLS }), 201);
  await payOnHostedPage(url);
  await waitFor(async () => (await ok(api.get(`${at}/credits`))).credits.length === 2, {
    what: 'the credits',
  });
  const failed = await newFailedCredit(tenant);
  await ok(api.post(`${at}/credits/${failed}/retry`), 202);
  await waitFor(async () => (await ok(api.get(`${at}/credits?status=credited`))).credits.length === 3, {
    what: 'the failed credit to be given',
  });
  expect((await api.post(`${at}/credits/${failed}/retry`)).body.error.code).toBe('referral_credit_not_failed');
  await ok(api.get(`${at}/codes?activeOnly=true&customerId=${referrer}`));
  expect((await ok(api.get(`${at}/credits?customerId=${referee}`))).credits).toHaveLength(1);
  const { referrals } = await ok(api.get(`${at}?refereeCustomerId=${referee}&status=converted`));
  expect(referrals).toMatchObject([{ code: code.code, referrerCustomerId: referrer }]);
  await ok(api.get(`${at}/codes/${code.code}`));
  await ok(api.delete(`${at}/codes/${code.code}`));
  expect((await api.get(`${at}/codes/00000000`)).status).toBe(404);
});

it('documents syncs and the health of the connection', async () => {
  const { sync } = await ok(api.post(`${P}/syncs`, { mode: 'apply' }), 202);
  expect((await api.post(`${P}/syncs`, { mode: 'report' })).body.error.code).toBe('sync_running');
  const path = `${P}/syncs/${sync.id}`;
  await waitFor(async () => (await ok(api.get(path))).sync.status === 'completed', {
    what: 'the sync to complete',
  });
  await ok(api.get(`${P}/syncs`));
  await ok(api.get(`${path}/findings?outcome=missing`));
  await ok(api.post(`${path}/cancel`));
  expect((await api.get(`${P}/syncs/${'sync_'.padEnd(29, '0')}`)).body.error.code).toBe('sync_not_found');
  await ok(user.get(`${tenant.teamPath}/processor/health`));
});

it('documents price migrations', async () => {
  const [{ priceId: fromPriceId }, { priceId: toPriceId }] = [await newPrice(), await newPrice()];
  const migrations = `${P}/price-migrations`;
  const wanted = { fromPriceId, toPriceId, mode: 'report' };
  const { priceMigration } = await ok(api.post(migrations, wanted), 202);
  expect((await api.post(migrations, { ...wanted, toPriceId: fromPriceId })).status).toBe(422);
  const path = `${migrations}/${priceMigration.id}`;
  await waitFor(async () => (await ok(api.get(path))).priceMigration.status === 'completed', {
    what: 'the report to complete',
  });
  await ok(api.get(migrations));
  await ok(api.get(`${path}/findings?outcome=skipped`));
  await ok(api.post(`${path}/cancel`));
});

it('documents processor accounts, webhooks and webhook events', async () => {
  const { team } = await ok(user.post('/api/service/teams', { name: 'Another' }), 201);
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = await ok(user.post(`${teamPath}/projects`, { name: 'Shop' }), 201);
  await ok(user.get(`${teamPath}/processor/webhook-url`));
  expect(await ok(user.get(`${teamPath}/processor`))).toMatchObject({ processor: null, isLocal: true });
  const webhookSecret = `whsec_${random()}`;
  const credentials = { secretKey: `sk_test_${random()}`, publishableKey: `pk_test_${random()}`, webhookSecret };
  await ok(user.post(`${teamPath}/processor/connect`, credentials));
  const live = { ...credentials, publishableKey: `pk_live_${random()}` };
  expect((await user.post(`${teamPath}/processor/connect`, live)).body.error.code).toBe(
    'processor_credentials_invalid',
  );

  const post = (event: object, path = 'processor', secret = webhookSecret) =>
    anonymous.post(`/api/webhooks/${path}/${team.id}`, event, {
      'stripe-signature': signatureOf(JSON.stringify(event), secret),
    });
  // A checkout session without a mode is invalid: its event fails and can be replayed.
  const object = { id: `cs_test_${random()}`, metadata: { teamId: team.id, projectId: project.id } };
  const event = { id: `evt_${random()}`, type: 'checkout.session.completed', created: 1_790_000_000, data: { object } };
  await ok(post(event));
  expect(await ok(post(event, 'stripe'))).toEqual({ received: true, duplicate: true });
  expect((await post(event, 'processor', 'whsec_wrong')).status).toBe(400);

  const events = `${teamPath}/projects/${project.id}/webhook-events`;
  await waitFor(async () => (await ok(user.get(`${events}?status=failed`))).webhookEvents.length === 1, {
    what: 'the event to fail',
  });
  await ok(user.post(`${events}/${event.id}/replay`));
  expect((await user.post(`${events}/evt_unknown/replay`)).status).toBe(404);
  const ofTeam = `${teamPath}/webhook-events`;
  await waitFor(async () => (await ok(user.get(`${ofTeam}?status=failed`))).webhookEvents.length === 1, {
    what: 'the event to fail again',
  });
  await ok(user.post(`${ofTeam}/${event.id}/replay`));
  expect(await ok(user.get(`${ofTeam}/${event.id}`))).toMatchObject({ webhookEvent: { id: event.id }, payload: event });
  expect(await ok(user.get(`${teamPath}/processor`))).toMatchObject({ processor: { connected: true } });
  expect(await ok(user.get(`${ofTeam}?projectId=none`))).toMatchObject({ webhookEvents: [] });

  const letters = `${teamPath}/dead-letters`;
  const listFailed = async () =>
    (await ok(user.get(`${letters}?service=subscriptions`))).deadLetters.filter(
      ({ status }: { readonly status: string }) => status === 'failed',
    );
  const [letter] = await listFailed();
  await ok(user.get(`${letters}/${letter.id}`));
  await ok(user.post(`${letters}/${letter.id}/retry`), 202);
  await ok(user.post(`${letters}/retry`, { service: 'catalog' }), 202);
  await waitFor(async () => (await listFailed()).length > 0, { what: 'a letter to fail again' });
  const [last] = await listFailed();
  await ok(user.delete(`${letters}/${last.id}`));
  expect((await user.delete(`${letters}/${last.id}`)).body.error.code).toBe('dead_letter_not_found');
  await ok(user.post(`${letters}/drop`, {}));
  await ok(user.delete(`${teamPath}/processor`));
  await ok(api.get(`${P}/webhook-events?type=invoice.paid`));
});

it('documents events, and the endpoints that they are posted to', async () => {
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.writeHead(204).end()),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const E = `${P}/webhook-endpoints`;
  try {
    const url = `http://127.0.0.1:${port}/hook`;
    const { webhookEndpoint } = await ok(api.post(E, { url, eventTypes: ['product.*'] }), 201);
    const endpoint = `${E}/${webhookEndpoint.id}`;
    await ok(api.get(E));
    await ok(api.patch(endpoint, { description: 'Ours' }));
    await ok(api.post(`${endpoint}/rotate-secret`, {}));
    await ok(api.post(`${endpoint}/test`, { type: 'invoice.paid' }));
    expect((await api.post(E, { url: 'ftp://shop.example' })).body.error.code).toBe('webhook_url_not_allowed');

    await newPrice();
    const deliveries = `${P}/webhook-deliveries`;
    const delivery = await waitFor(
      async () => (await ok(api.get(`${deliveries}?status=succeeded&endpointId=${webhookEndpoint.id}`))).deliveries[0],
      { what: 'an event to be delivered' },
    );
    await ok(api.get(`${deliveries}/${delivery.id}`));
    await ok(api.post(`${deliveries}/${delivery.id}/retry`), 202);
    const isRetried = async () => (await ok(api.get(`${deliveries}/${delivery.id}`))).delivery.attempts === 2;
    await waitFor(isRetried, { what: 'the delivery to be made again' });
    await ok(api.get(`${P}/events/${delivery.eventId}`));
    expect((await api.get(`${P}/events?cursor=x`)).status).toBe(400);
    await ok(api.post(`${endpoint}/send`, { eventId: delivery.eventId }), 202);
    await ok(api.post(`${endpoint}/recover`, { since: new Date().toISOString(), only: 'failed' }), 202);
    await ok(api.get(endpoint));
    await ok(api.delete(endpoint));
    expect((await api.get(endpoint)).body.error.code).toBe('webhook_endpoint_not_found');
  } finally {
    server.close();
  }

  const types = new Set<string>();
  for await (const event of tenant.billing.events.list({ limit: 100 })) {
    documented.checkEvent(event);
    types.add(event.type);
  }
  await ok(api.get(`${P}/events?order=desc&types=product.created`));
  const seen = [
    'customer.deleted',
    'price.updated',
    'subscription.canceled',
    'invoice.paid',
    'payment.refunded',
    'referral.created',
  ];
  expect([...types]).toEqual(expect.arrayContaining(seen));
});

it('documents features, what gives them, grants and states', async () => {
  const [{ productId, priceId }, externalId] = [await newPrice(), random()];
  const { customer } = await ok(api.post(`${P}/customers`, { email: newEmail(), externalId }), 201);
  const feature = `${P}/features/seats`;
  await ok(api.post(`${P}/features`, { key: 'seats', name: 'Seats', type: 'limit' }), 201);
  expect((await api.post(`${P}/features`, { key: 'seats', name: 'Seats', type: 'limit' })).status).toBe(409);
  await ok(api.patch(feature, { name: 'Places' }));
  for (const path of [feature, `${P}/features`, `${P}/product-features?productId=${productId}`])
    await ok(api.get(path));
  const lists = [
    `${P}/products/${productId}/features`,
    `${P}/prices/${priceId}/features`,
    `${P}/customers/${customer.id}/grants`,
  ];
  for (const list of lists) {
    const given = `${list}/seats`;
    expect((await api.get(given)).status).toBe(404);
    await ok(api.put(given, { value: 3 }));
    for (const path of [list, given]) await ok(api.get(path));
  }
  for (const path of [`${P}/customers/${customer.id}/state`, `${P}/customers/external/${externalId}/state`]) {
    const isGiven = async () => (await api.get(path)).body.state?.entitlements.seats?.value === 3;
    await waitFor(isGiven, { what: 'the state to have the grant' });
    expect(await ok(api.get(`${path}/seats`))).toMatchObject({ allowed: true, reason: 'grant' });
    expect((await api.get(`${path}/unknown`)).body.error.code).toBe('feature_not_found');
  }
  for (const list of lists) await ok(api.delete(`${list}/seats`));
});

it('documents coupons, promotion codes and changes of plans', async () => {
  const { subscriptionId } = await newSubscription();
  const { priceId } = await newPrice();
  const coupons = `${P}/coupons`;
  const terms = { name: 'Spring', percentOff: 20, duration: 'repeating', durationInMonths: 3 };
  const { coupon } = await ok(api.post(coupons, terms), 201);
  expect((await api.post(coupons, { ...terms, durationInMonths: null })).status).toBe(400);
  const codes = `${P}/promotion-codes`;
  const text = `S${random()}`;
  const { promotionCode } = await ok(api.post(codes, { couponId: coupon.id, code: text }), 201);
  expect((await api.post(codes, { couponId: coupon.id, code: text.toUpperCase() })).status).toBe(409);
  for (const path of [coupons, `${coupons}/${coupon.id}`, `${codes}?code=${text}`, `${codes}/${promotionCode.id}`])
    await ok(api.get(path));

  const subscription = `${P}/subscriptions/${subscriptionId}`;
  await ok(api.put(`${subscription}/discount`, { promotionCode: text }));
  expect((await api.put(`${subscription}/discount`, { promotionCode: 'NONE' })).status).toBe(404);
  await ok(api.post(`${subscription}/change/preview`, { priceId }));
  expect((await api.post(`${subscription}/change`, { quantity: 1 })).body.error.code).toBe('no_change');
  await ok(api.post(`${subscription}/change`, { priceId, when: 'period_end' }));
  await ok(api.delete(`${subscription}/change`));
  expect((await api.delete(`${subscription}/change`)).body.error.code).toBe('change_not_found');

  await ok(api.patch(`${codes}/${promotionCode.id}`, { isActive: false }));
  await ok(api.delete(`${coupons}/${coupon.id}`));
});

it('documents no operation that never succeeded', () => {
  // This system has no mail server, so it sends no links; the gateway's own tests do.
  const unsent = ['verifyEmail', 'requestPasswordReset'];
  expect(documented.operationIds.filter(id => !documented.succeeded.has(id))).toEqual(unsent);
});
