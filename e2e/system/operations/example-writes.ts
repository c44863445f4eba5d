import { randomUUID } from 'node:crypto';
import { canceledSync, newFailedCredit, newPromotionCode } from '../billing-records.ts';
import { ok } from '../http.ts';
import { newDeadLetter, newFailedEvent } from '../failed-events.ts';
import { invite, newCustomer, newEmail, newSubscription } from '../tenant.ts';
import { ENDPOINT_WRITES } from './endpoint-writes.ts';
import { FEATURE_WRITES } from './feature-writes.ts';
import { INVOICE_WRITES } from './invoice-writes.ts';
import { PLAN_WRITES } from './plan-writes.ts';
import { byKey, byUser, is, type Prepared, type PrepareWrite } from './write.ts';

const ofTeam = { hasNoProject: true };
const product = async ({ tenant: { api, P } }: Prepared): Promise<string> =>
  (await ok(api.post(`${P}/products`, { name: 'Pro' }), 201)).product.id;
const price = { unitAmount: 500, currency: 'usd', type: 'one_time' };
const newKey = async ({ tenant: { user, P } }: Prepared): Promise<string> =>
  (await ok(user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }), 201)).apiKey.id;
const newCode = async ({ tenant }: Prepared): Promise<string> =>
  (await tenant.billing.referrals.createCode({ customerId: await newCustomer(tenant) })).code;

/** How each write is made once, by its operation's id, in an order in which none spoils another. */
export const EXAMPLE_WRITES: Readonly<Record<string, PrepareWrite>> = {
  createSync: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/syncs`, { mode: 'report', filter: { metadata: { app: 'shop' } } }),
      body => ({ type: 'sync', id: body.sync.id }),
    ),
  applyCatalog: async ({ tenant: { api, P, billing } }) => {
    const [running] = (await billing.syncs.list({ limit: 1 }).page()).items;
    if (running) await billing.syncs.cancel(running.id);
    const body = { catalog: { version: 1 }, mode: 'report' };
    return byKey(
      () => api.post(`${P}/catalog/apply`, body),
      ({ sync }) => ({ type: 'sync', id: sync.id }),
    );
  },
  cancelSync: async ({ tenant }) => {
    const id = await canceledSync(tenant);
    return byKey(() => tenant.api.post(`${tenant.P}/syncs/${id}/cancel`), is('sync', id));
  },
  createTeam: ({ tenant: { user } }) =>
    byUser(
      () => user.post('/api/service/teams', { name: 'Third' }),
      body => ({ type: 'team', id: body.team.id }),
      {
        ...ofTeam,
        teamPath: body => `/api/service/teams/${body.team.id}`,
      },
    ),
  updateTeam: ({ tenant: { user, teamPath, teamId } }) =>
    byUser(() => user.patch(teamPath, { name: 'Acme Inc.' }), is('team', teamId), ofTeam),
  inviteMember: ({ tenant: { user, teamPath } }) =>
    byUser(
      () => user.post(`${teamPath}/members`, { email: newEmail(), role: 'member' }),
      body => ({ type: 'invitation', id: body.invitation.id }),
      ofTeam,
    ),
  withdrawInvitation: ({ tenant: { user, teamPath }, resources: { invitationId: id } }) =>
    byUser(() => user.delete(`${teamPath}/invitations/${id}`), is('invitation', id), ofTeam),
  acceptInvitation: async ({ tenant, guest }) => {
    const accept = await invite(tenant, guest.credentials.email);
    const { invitations } = await ok(tenant.user.get(`${tenant.teamPath}/invitations`));
    return { by: 'guest', send: () => guest.user.post(accept), target: is('invitation', invitations[0].id), ...ofTeam };
  },
  removeMember: ({ tenant: { user, teamPath }, guest: { userId } }) =>
    byUser(() => user.delete(`${teamPath}/members/${userId}`), is('member', userId), ofTeam),
  createProject: ({ other: { user, teamPath } }) =>
    byUser(
      () => user.post(`${teamPath}/projects`, { name: 'Second' }),
      body => ({ type: 'project', id: body.project.id }),
      { teamPath: () => teamPath, hasNoProject: true },
    ),
  updateProject: ({ tenant: { user, P, projectId } }) =>
    byUser(() => user.patch(P, { name: 'Web shop' }), is('project', projectId)),
  createApiKey: ({ tenant: { user, P } }) =>
    byUser(
      () => user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }),
      body => ({ type: 'api_key', id: body.apiKey.id }),
    ),
  rotateApiKey: ({ tenant: { user, P }, resources: { keyId } }) =>
    byUser(() => user.post(`${P}/api-keys/${keyId}/rotate`), is('api_key', keyId)),
  revokeApiKey: async prepared => {
    const { user, P } = prepared.tenant;
    const id = await newKey(prepared);
    return byUser(() => user.delete(`${P}/api-keys/${id}`), is('api_key', id));
  },
  createProduct: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/products`, { name: 'Pro' }),
      body => ({ type: 'product', id: body.product.id }),
    ),
  updateProduct: ({ tenant: { api, P }, resources: { productId: id } }) =>
    byKey(() => api.patch(`${P}/products/${id}`, { name: 'Team' }), is('product', id)),
  deleteProduct: async prepared => {
    const { api, P } = prepared.tenant;
    const id = await product(prepared);
    return byKey(() => api.delete(`${P}/products/${id}`), is('product', id));
  },
  createPrice: ({ tenant: { api, P }, resources: { productId } }) =>
    byKey(
      () => api.post(`${P}/prices`, { productId, ...price }),
      body => ({ type: 'price', id: body.price.id }),
    ),
  updatePrice: ({ tenant: { api, P }, resources: { priceId: id } }) =>
    byKey(() => api.patch(`${P}/prices/${id}`, { metadata: { tier: 'pro' } }), is('price', id)),
  deletePrice: async ({ tenant: { api, P }, resources: { productId } }) => {
    const { id } = (await ok(api.post(`${P}/prices`, { productId, ...price }), 201)).price;
    return byKey(() => api.delete(`${P}/prices/${id}`), is('price', id));
  },
  createCustomer: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/customers`, { email: newEmail() }),
      body => ({ type: 'customer', id: body.customer.id }),
    ),
  createTestClock: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/test-clocks`, { name: 'A year' }),
      body => ({ type: 'test_clock', id: body.testClock.id }),
    ),
  advanceTestClock: async ({ tenant: { api, P, billing } }) => {
    const { id } = await billing.testClocks.create({ name: 'A week' });
    const to = new Date(Date.now() + 7 * 86_400_000).toISOString();
    return byKey(() => api.post(`${P}/test-clocks/${id}/advance`, { to }), is('test_clock', id));
  },
  deleteTestClock: async ({ tenant: { api, P, billing } }) => {
    const { id } = await billing.testClocks.create({ name: 'A day' });
    return byKey(() => api.delete(`${P}/test-clocks/${id}`), is('test_clock', id));
  },
  setTestCard: ({ tenant: { api, P }, resources: { refereeCustomerId: id } }) =>
    byKey(() => api.put(`${P}/customers/${id}/test-card`, { card: 'ok' }), is('customer', id)),
  updateCustomer: ({ tenant: { api, P }, resources: { refereeCustomerId: id } }) =>
    byKey(() => api.patch(`${P}/customers/${id}`, { name: 'Ada King' }), is('customer', id)),
  updateBillingDetails: ({ tenant: { api, P }, resources: { refereeCustomerId: id } }) =>
    byKey(() => api.patch(`${P}/customers/${id}/billing-details`, { businessName: 'Engines' }), is('customer', id)),
  deleteCustomer: async ({ tenant }) => {
    const id = await newCustomer(tenant);
    return byKey(() => tenant.api.delete(`${tenant.P}/customers/${id}`), is('customer', id));
  },
  recordUsage: ({ tenant: { api, P, projectId }, resources: { refereeCustomerId: customerId } }) => {
    const events = [{ id: randomUUID(), customerId, meter: 'api_calls', value: 1 }];
    return byKey(() => api.post(`${P}/usage`, { events }), is('project', projectId));
  },
  createCheckout: async ({ tenant, resources: { priceId } }) => {
    const customerId = await newCustomer(tenant);
    const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };
    return byKey(
      () => tenant.api.post(`${tenant.P}/checkout`, { customerId, priceId, ...urls }),
      body => ({ type: 'checkout_session', id: body.sessionId }),
    );
  },
  updateSubscription: ({ tenant: { api, P }, resources: { subscriptionId: id } }) =>
    byKey(() => api.patch(`${P}/subscriptions/${id}`, { cancelAtPeriodEnd: true }), is('subscription', id)),
  setSubscriptionTax: ({ tenant: { api, P }, resources: { subscriptionId: id } }) =>
    byKey(() => api.put(`${P}/subscriptions/${id}/tax`, { automatic: false }), is('subscription', id)),
  pauseSubscription: async ({ tenant, resources: { priceId } }) => {
    const { id } = await newSubscription(tenant, priceId);
    return byKey(() => tenant.api.post(`${tenant.P}/subscriptions/${id}/pause`), is('subscription', id));
  },
  resumeSubscription: async ({ tenant, resources: { priceId } }) => {
    const { api, P } = tenant;
    const { id } = await newSubscription(tenant, priceId);
    await ok(api.post(`${P}/subscriptions/${id}/pause`));
    return byKey(() => api.post(`${P}/subscriptions/${id}/resume`), is('subscription', id));
  },
  refundPayment: ({ tenant: { api, P }, resources: { paymentId: id } }) =>
    byKey(() => api.post(`${P}/payments/${id}/refund`, { amount: 1 }), is('payment', id)),
  updatePortalSubscription: ({ visitor, resources: { token, subscriptionId: id } }) => ({
    by: 'customer',
    send: () => visitor.patch(`/api/portal/${token}/subscriptions/${id}`, { cancelAtPeriodEnd: false }),
    target: is('subscription', id),
  }),
  setPortalConfig: ({ tenant: { api, P, projectId } }) =>
    byKey(() => api.put(`${P}/portal-config`, { brand: { name: 'Acme' } }), is('portal_config', projectId)),
  acceptSaveOffer: async ({ tenant, visitor, resources: { token, subscriptionId: id } }) => {
    const { id: promotionCodeId } = await newPromotionCode(tenant);
    const cancellation = { saveOffer: { promotionCodeId } };
    await ok(tenant.api.put(`${tenant.P}/portal-config`, { cancellation }));
    return {
      by: 'customer',
      send: () => visitor.post(`/api/portal/${token}/subscriptions/${id}/save-offer`),
      target: is('subscription', id),
    };
  },
  pausePortalSubscription: async prepared => {
    const { path, id } = await pausable(prepared);
    return { by: 'customer', send: () => prepared.visitor.post(`${path}/pause`), target: is('subscription', id) };
  },
  resumePortalSubscription: async prepared => {
    const { path, id } = await pausable(prepared);
    await ok(prepared.visitor.post(`${path}/pause`));
    return { by: 'customer', send: () => prepared.visitor.post(`${path}/resume`), target: is('subscription', id) };
  },
  updatePortalBillingDetails: async ({ tenant, visitor, resources: { token, customerId } }) => {
    await ok(tenant.api.put(`${tenant.P}/portal-config`, { billingDetails: { enabled: true } }));
    return {
      by: 'customer',
      send: () => visitor.patch(`/api/portal/${token}/billing-details`, { businessName: 'Engines' }),
      target: is('customer', customerId),
    };
  },
  createPortalSetupSession: ({ visitor, resources: { token, customerId } }) => ({
    by: 'customer',
    send: () => visitor.post(`/api/portal/${token}/setup-intent`),
    target: is('customer', customerId),
  }),
  cancelSubscription: async ({ tenant, resources: { priceId } }) => {
    const { id } = await newSubscription(tenant, priceId);
    return byKey(() => tenant.api.delete(`${tenant.P}/subscriptions/${id}`), is('subscription', id));
  },
  updateReferralConfig: ({ tenant: { api, P, projectId } }) =>
    byKey(
      () => api.put(`${P}/referrals/config`, { enabled: true, referrerCreditAmount: 0, refereeCreditAmount: 0 }),
      is('referral_config', projectId),
    ),
  createReferralCode: async ({ tenant }) => {
    const customerId = await newCustomer(tenant);
    return byKey(
      () => tenant.api.post(`${tenant.P}/referrals/codes`, { customerId }),
      body => ({ type: 'referral_code', id: body.code.code }),
    );
  },
  applyReferral: ({ tenant: { api, P }, resources: { code, refereeCustomerId } }) =>
    byKey(
      () => api.post(`${P}/referrals/apply`, { code, refereeCustomerId }),
      body => ({ type: 'referral', id: body.referral.id }),
    ),
  deactivateReferralCode: async prepared => {
    const { api, P } = prepared.tenant;
    const code = await newCode(prepared);
    return byKey(() => api.delete(`${P}/referrals/codes/${code}`), is('referral_code', code));
  },
  retryReferralCredit: async ({ tenant }) => {
    const id = await newFailedCredit(tenant);
    return byKey(() => tenant.api.post(`${tenant.P}/referrals/credits/${id}/retry`), is('referral_credit', id));
  },
  createPortalSession: ({ tenant: { api, P }, resources: { customerId } }) =>
    byKey(
      () => api.post(`${P}/portal`, { customerId }),
      body => ({ type: 'portal_session', id: body.sessionId }),
    ),
  revokePortalSession: async ({ tenant: { api, P, billing }, resources: { customerId } }) => {
    const { sessionId: id } = await billing.portal.create({ customerId });
    return byKey(() => api.delete(`${P}/portal/sessions/${id}`), is('portal_session', id));
  },
  ...ENDPOINT_WRITES,
  ...FEATURE_WRITES,
  ...INVOICE_WRITES,
  ...PLAN_WRITES,
  replayWebhookEvent: async prepared => {
    const { user, P } = prepared.tenant;
    const id = await newFailedEvent(prepared.tenant);
    return byUser(() => user.post(`${P}/webhook-events/${id}/replay`), is('webhook_event', id));
  },
  replayTeamWebhookEvent: async prepared => {
    const { user, teamPath } = prepared.tenant;
    const id = await newFailedEvent(prepared.tenant);
    return byUser(() => user.post(`${teamPath}/webhook-events/${id}/replay`), is('webhook_event', id), ofTeam);
  },
  retryDeadLetter: async ({ tenant }) => {
    const id = await newDeadLetter(tenant);
    const { user, teamPath } = tenant;
    return byUser(() => user.post(`${teamPath}/dead-letters/${id}/retry`), is('dead_letter', id), ofTeam);
  },
  retryDeadLetters: async ({ tenant }) => {
    await newDeadLetter(tenant);
    const { user, teamPath, teamId } = tenant;
    const filter = { service: 'subscriptions' };
    return byUser(() => user.post(`${teamPath}/dead-letters/retry`, filter), is('team', teamId), ofTeam);
  },
  dropDeadLetter: async ({ tenant }) => {
    const id = await newDeadLetter(tenant);
    const { user, teamPath } = tenant;
    return byUser(() => user.delete(`${teamPath}/dead-letters/${id}`), is('dead_letter', id), ofTeam);
  },
  dropDeadLetters: async ({ tenant }) => {
    await newDeadLetter(tenant);
    const { user, teamPath, teamId } = tenant;
    return byUser(() => user.post(`${teamPath}/dead-letters/drop`, {}), is('team', teamId), ofTeam);
  },
  connectProcessor: ({ other: { user, teamPath, teamId, secretKey, webhookSecret } }) =>
    byUser(
      () => user.post(`${teamPath}/processor/connect`, { secretKey, webhookSecret }),
      is('processor_account', teamId),
      { ...ofTeam, teamPath: () => teamPath },
    ),
  disconnectProcessor: ({ other: { user, teamPath, teamId } }) =>
    byUser(() => user.delete(`${teamPath}/processor`), is('processor_account', teamId), {
      ...ofTeam,
      teamPath: () => teamPath,
    }),
};

/** Sells the visitor one more subscription, which they may pause. */
async function pausable({ tenant: { api, P }, resources: { token, customerId, priceId } }: Prepared) {
  await ok(api.put(`${P}/portal-config`, { pause: { enabled: true, maxDays: 30 } }));
  const { subscription } = await ok(api.post(`${P}/checkout`, { customerId, priceId, collect: 'invoice' }), 201);
  const id: string = subscription.id;
  return { id, path: `/api/portal/${token}/subscriptions/${id}` };
}
