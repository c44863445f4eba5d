import { randomBytes } from 'node:crypto';
import { beforeAll, expect, inject, it } from 'vitest';
import { codeOf, createResetLink } from '../system/account.ts';
import { openDocumentedApi, type DocumentedApi } from '../system/documented-api.ts';
import { Caller, ok } from '../system/http.ts';
import { newResources, unknownIds, type Resources } from '../system/operations/resources.ts';
import {
  addMember,
  newCustomer,
  newEmail,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  newUser,
  type Tenant,
} from '../system/tenant.ts';

// Every response is checked against the OpenAPI document, the codes of errors as well.

const random = () => randomBytes(8).toString('hex');

let documented: DocumentedApi;
beforeAll(async () => {
  documented = await openDocumentedApi();
});

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
  const reset = { newPassword: first, token: link.split('token=')[1] };
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

it('documents no way to sign in that never succeeded', () => {
  // This system has no mail server, so it sends no links; the gateway's own tests do.
  expect(documented.notSucceeded('/api/auth/')).toEqual(['verifyEmail', 'requestPasswordReset']);
});

/** What is refused: who sends it, the request, and the code of the error. */
type Refusal = readonly [Caller, method: string, path: string, body: object | undefined, code: string];

/** Requests of a tenant with these resources, whose member `colleague` is, that are refused whatever came before. */
function refusals({ user, api, P, teamPath }: Tenant, own: Resources, colleague: string): Refusal[] {
  const unknown = unknownIds();
  const none = undefined;
  const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };
  const price = { productId: own.productId, unitAmount: 1, currency: 'usd', interval: 'month' };
  const coupon = { name: 'Spring', percentOff: 20, duration: 'repeating' };
  const leave = { cancelAtPeriodEnd: true };
  const unsold = { ...urls, customerId: own.customerId, priceId: unknown.priceId };
  const unknownKey = { secretKey: 'sk_test_invalid_0000' };
  const taken = { couponId: own.couponId, code: own.promotionCodeText };
  const migration = { fromPriceId: own.priceId, toPriceId: own.priceId, mode: 'report' };
  const anonymous = documented.verify(new Caller({ origin: inject('gatewayUrl') }));
  const subscription = `${P}/subscriptions/${own.subscriptionId}`;
  return [
    [anonymous, 'GET', '/api/service/teams', none, 'unauthorized'],
    [api, 'GET', '/api/service/teams', none, 'forbidden'],
    [user, 'GET', `${teamPath}/projects/proj_${'0'.repeat(20)}`, none, 'project_not_found'],
    [user, 'POST', '/api/service/invitations/x/accept', {}, 'invitation_not_found'],
    [user, 'POST', `${teamPath}/members`, { email: colleague, role: 'member' }, 'member_exists'],
    [user, 'DELETE', `${teamPath}/invitations/${unknown.invitationId}`, none, 'invitation_not_found'],
    [user, 'DELETE', `${teamPath}/members/${unknown.userId}`, none, 'member_not_found'],
    [user, 'POST', `${P}/api-keys`, { name: 'ci', scopes: ['everything'] }, 'validation_error'],
    [user, 'DELETE', `${P}/api-keys/${unknown.keyId}`, none, 'api_key_not_found'],
    [api, 'GET', `${P}/products/${unknown.productId}`, none, 'product_not_found'],
    [api, 'GET', `${P}/prices/${unknown.priceId}`, none, 'price_not_found'],
    [api, 'PATCH', `${P}/prices/${own.priceId}`, { unitAmount: 1 }, 'validation_error'],
    [api, 'POST', `${P}/prices`, { ...price, productId: unknown.productId }, 'product_not_found'],
    [api, 'POST', `${P}/customers`, { email: 'nonsense' }, 'validation_error'],
    [api, 'GET', `${P}/customers/${unknown.customerId}`, none, 'customer_not_found'],
    [api, 'POST', `${P}/checkout`, unsold, 'price_not_found'],
    [api, 'POST', `${P}/payments/${own.paymentId}/refund`, { amount: 999_999 }, 'refund_too_large'],
    [api, 'POST', `${P}/invoices/${own.invoiceId}/void`, {}, 'invoice_not_open'],
    [api, 'POST', `${P}/invoices/${own.invoiceId}/retry`, {}, 'invoice_not_open'],
    [api, 'PUT', `${P}/portal-config`, { brand: { accentColor: 'red' } }, 'validation_error'],
    [api, 'POST', `${P}/portal`, { customerId: unknown.customerId }, 'customer_not_found'],
    [api, 'DELETE', `${P}/portal/sessions/${unknown.sessionId}`, none, 'portal_session_not_found'],
    [anonymous, 'PATCH', `/api/portal/x/subscriptions/${own.subscriptionId}`, leave, 'portal_link_expired'],
    [api, 'POST', `${P}/referrals/codes`, { customerId: own.customerId }, 'referral_code_exists'],
    [api, 'POST', `${P}/referrals/apply`, { code: own.code, refereeCustomerId: own.customerId }, 'referral_self'],
    [api, 'GET', `${P}/referrals/codes/${unknown.code}`, none, 'referral_code_not_found'],
    [api, 'POST', `${P}/referrals/credits/${unknown.creditId}/retry`, {}, 'referral_credit_not_found'],
    [api, 'GET', `${P}/syncs/${unknown.syncId}`, none, 'sync_not_found'],
    [user, 'POST', `${teamPath}/processor/connect`, unknownKey, 'processor_credentials_invalid'],
    [user, 'POST', `${P}/webhook-events/${unknown.eventId}/replay`, {}, 'webhook_event_not_found'],
    [user, 'DELETE', `${teamPath}/dead-letters/${unknown.deadLetterId}`, none, 'dead_letter_not_found'],
    [api, 'POST', `${P}/webhook-endpoints`, { url: 'ftp://shop.example' }, 'webhook_url_not_allowed'],
    [api, 'GET', `${P}/webhook-endpoints/${unknown.webhookEndpointId}`, none, 'webhook_endpoint_not_found'],
    [api, 'GET', `${P}/events?cursor=x`, none, 'validation_error'],
    [api, 'POST', `${P}/features`, { key: own.featureKey, name: 'Seats', type: 'limit' }, 'feature_key_taken'],
    [api, 'GET', `${P}/products/${own.productId}/features/${unknown.featureKey}`, none, 'feature_not_found'],
    [api, 'GET', `${P}/prices/${own.priceId}/features/${unknown.featureKey}`, none, 'feature_not_found'],
    [api, 'GET', `${P}/customers/${own.customerId}/grants/${unknown.featureKey}`, none, 'feature_not_found'],
    [api, 'GET', `${P}/customers/${own.customerId}/state/${unknown.featureKey}`, none, 'feature_not_found'],
    [api, 'GET', `${P}/customers/external/${own.externalCustomerId}/state/unknown`, none, 'feature_not_found'],
    [api, 'POST', `${P}/coupons`, { ...coupon, durationInMonths: null }, 'validation_error'],
    [api, 'POST', `${P}/promotion-codes`, taken, 'promotion_code_taken'],
    [api, 'PUT', `${subscription}/discount`, { promotionCode: 'NONE' }, 'promotion_code_not_found'],
    [api, 'POST', `${subscription}/change`, { quantity: 1 }, 'no_change'],
    [api, 'DELETE', `${subscription}/change`, none, 'change_not_found'],
    [api, 'POST', `${P}/price-migrations`, migration, 'no_change'],
  ];
}

it('documents what is refused, with its code', async () => {
  const [tenant, colleague] = await Promise.all([newTenant(), newUser()]);
  await addMember(tenant, colleague);
  const own = await newResources(tenant);
  for (const caller of [tenant.api, tenant.user]) documented.verify(caller);
  const all = refusals(tenant, own, colleague.credentials.email);
  const shown: string[] = [];
  for (const [caller, method, path, body] of all) {
    const { status, body: refused } = await caller.send(method, path, body);
    shown.push(`${method} ${path} ${refused.error?.code ?? status}`);
  }
  expect(shown).toEqual(all.map(([, method, path, , code]) => `${method} ${path} ${code}`));
});

it('documents what is refused after something else, with its code', async () => {
  const tenant = await newTenant();
  const { P, billing, teamPath } = tenant;
  const api = documented.verify(tenant.api);
  const user = documented.verify(tenant.user);
  const visitor = documented.verify(new Caller());
  const codeOfError = async (sending: ReturnType<Caller['send']>) => (await sending).body.error?.code as unknown;
  const email = newEmail();
  const { id: customerId } = await billing.customers.create({ email });
  expect(await codeOfError(api.post(`${P}/customers`, { email }))).toBe('customer_email_taken');

  const key = { 'idempotency-key': random() };
  const request = { name: 'ci', scopes: ['products:read'] };
  const { secret } = await ok(user.post(`${P}/api-keys`, request, key), 201);
  expect(await codeOfError(user.post(`${P}/api-keys`, { ...request, name: 'x' }, key))).toBe('idempotency_key_reused');
  const reader = documented.verify(new Caller({ authorization: `Bearer ${secret}` }));
  expect((await reader.post(`${P}/products`, { name: 'x' })).body.error.details).toEqual({
    requiredScope: 'products:write',
  });

  const { id: productId } = await billing.products.create({ name: 'Pro' });
  await billing.products.update(productId, { isActive: false });
  const price = { productId, unitAmount: 1, currency: 'usd', interval: 'month' };
  expect(await codeOfError(api.post(`${P}/prices`, price))).toBe('product_inactive');
  await billing.products.update(productId, { isActive: true });
  const { id: priceId } = await billing.prices.create({ productId, unitAmount: 1, currency: 'usd', type: 'one_time' });
  const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };
  expect(await codeOfError(api.post(`${P}/checkout`, { customerId, priceId, ...urls }))).toBe('price_type_mismatch');

  const recurring = await newMonthlyPrice(tenant);
  const { id } = await newSubscription(tenant, recurring.priceId);
  const { customerId: subscriber } = await billing.subscriptions.get(id);
  const { token } = await billing.portal.create({ customerId: subscriber });
  const ofCustomer = `/api/portal/${token}/subscriptions/${id}`;
  expect(await codeOfError(visitor.post(`${ofCustomer}/change`, { quantity: 2 }))).toBe('price_not_offered');
  expect(await codeOfError(visitor.delete(`${ofCustomer}/change`))).toBe('change_not_found');
  expect(await codeOfError(visitor.post(`${ofCustomer}/save-offer`))).toBe('save_offer_not_available');
  for (const path of ['pause', 'resume'])
    expect(await codeOfError(visitor.post(`${ofCustomer}/${path}`))).toBe('pause_not_offered');
  expect(await codeOfError(visitor.get(`/api/portal/${token}/billing-details`))).toBe('billing_details_not_offered');
  await billing.subscriptions.cancelNow(id);
  const resumed = api.patch(`${P}/subscriptions/${id}`, { cancelAtPeriodEnd: false });
  expect(await codeOfError(resumed)).toBe('subscription_ended');

  const { code } = await billing.referrals.createCode({ customerId });
  const apply = { code, refereeCustomerId: await newCustomer(tenant) };
  expect(await codeOfError(api.post(`${P}/referrals/apply`, apply))).toBe('referral_program_disabled');
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 1, refereeCreditAmount: 1 });
  await ok(api.post(`${P}/referrals/apply`, apply), 201);
  expect(await codeOfError(api.post(`${P}/referrals/apply`, apply))).toBe('referral_already_applied');

  const filter = { metadata: { app: 'shop' } };
  await ok(api.post(`${P}/syncs`, { mode: 'apply', filter }), 202);
  expect(await codeOfError(api.post(`${P}/syncs`, { mode: 'report', filter }))).toBe('sync_running');
  const forged = { 'stripe-signature': 't=1,v1=00' };
  expect(await codeOfError(visitor.post(`/api/webhooks/processor/${tenant.teamId}`, {}, forged))).toBe(
    'invalid_signature',
  );
  expect((await visitor.get('/portal/nonsense')).status).toBe(404);
  const live = { secretKey: tenant.secretKey, publishableKey: 'pk_live_1' };
  expect(await codeOfError(user.post(`${teamPath}/processor/connect`, live))).toBe('processor_credentials_invalid');
});
