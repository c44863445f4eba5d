import { expect, it } from 'vitest';
import { SubscriptionId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import { ReportMissingObject } from '@billing/contracts/rpc/calls';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { waitFor } from '@billing/testing/wait-for';
import { aSubscription } from './billing-samples.ts';
import { startService, type Service } from './start-service.ts';

it('cancels at the end of the period and resumes', async () => {
  await using service = await startService();
  const subscription = aSubscription(service);
  service.otherServices.subscriptions.push(subscription);
  const { token } = await service.createLink();
  const cancellation = { reason: 'too_complex', comment: 'Fewer buttons, please.' };

  const canceled = await patch(service, token, subscription.id, { cancelAtPeriodEnd: true, ...cancellation });
  expect(canceled.statusCode).toBe(200);
  expect(canceled.json()).toMatchObject({
    subscription: {
      id: subscription.id,
      status: 'active',
      cancelAtPeriodEnd: true,
      currentPeriodEnd: subscription.currentPeriodEnd.toISOString(),
    },
  });
  const page = await service.visit(token);
  expect(page.body).toContain('Ending soon');
  expect(page.body).toContain('Cancels on');
  expect(page.body).toContain('Resume');

  const resumed = await patch(service, token, subscription.id, { cancelAtPeriodEnd: false });
  expect(resumed.json()).toMatchObject({ subscription: { cancelAtPeriodEnd: false } });
  const { teamId, projectId } = service.scope;
  const audit = expect.objectContaining({
    actor: { type: 'customer', id: service.customerId },
    action: 'updatePortalSubscription',
    projectId,
    requestId: 'req_test',
    address: '192.0.2.1',
  });
  const request = { teamId, projectId, customerId: service.customerId, subscriptionId: subscription.id, audit };
  expect(service.otherServices.cancellations).toEqual([
    { ...request, cancelAtPeriodEnd: true, cancellation },
    { ...request, cancelAtPeriodEnd: false, cancellation: null },
  ]);
});

it('finds no subscription of another customer', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const response = await patch(service, token, SubscriptionId.create(), { cancelAtPeriodEnd: true });
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({ error: { code: 'subscription_not_found' } });
  expect((await service.submit(token, `/subscriptions/${SubscriptionId.create()}/cancel`)).statusCode).toBe(404);
});

it.each<object | string | boolean | null>([
  {},
  null,
  [],
  'x',
  true,
  { cancelAtPeriodEnd: 'true' },
  { cancelAtPeriodEnd: 1 },
  { cancelAtPeriodEnd: null },
  { status: 'canceled' },
  { priceId: 'x' },
  ...[
    { quantity: 0 },
    { quantity: 2 },
    { status: 'active' },
    { customerId: 'x' },
    { metadata: {} },
    { trialEnd: 4_102_444_800 },
    { coupon: 'FREE' },
  ].map(more => ({ cancelAtPeriodEnd: true, ...more })),
])('S8: rejects the body %j', async body => {
  await using service = await startService();
  const { token } = await service.createLink();
  const response = await patch(service, token, SubscriptionId.create(), body);
  expect(response.statusCode).toBe(400);
  expect(service.otherServices.cancellations).toEqual([]);
});

it('does nothing for an expired link', async () => {
  await using service = await startService();
  const subscription = aSubscription(service);
  service.otherServices.subscriptions.push(subscription);
  const { token } = await service.createLink();
  await service.database.em.execute('update portal_sessions set expires_at = clock_timestamp()');

  const patched = await patch(service, token, subscription.id, { cancelAtPeriodEnd: true });
  expect(patched.statusCode).toBe(404);
  expect(patched.json()).toMatchObject({ error: { code: 'portal_link_expired' } });
  expect((await service.submit(token, `/subscriptions/${subscription.id}/cancel`)).statusCode).toBe(404);
  expect((await service.submit(token, '/payment-method')).statusCode).toBe(404);
  expect(service.otherServices.cancellations).toEqual([]);
});

it('cancels after a confirmation, and resumes, by forms', async () => {
  await using service = await startService();
  const subscription = aSubscription(service, { currentPeriodEnd: new Date('2026-12-20T00:00:00Z') });
  service.otherServices.subscriptions.push(subscription);
  const { token } = await service.createLink();
  const cancel = `/subscriptions/${subscription.id}/cancel`;
  expect((await service.visit(token)).body).toContain(`href="/portal/${token}${cancel}"`);

  const confirmation = await service.visit(token, cancel);
  expect(confirmation.statusCode).toBe(200);
  expect(confirmation.body).toContain('Dec 20, 2026');
  expect(confirmation.body).toMatch(new RegExp(`<form\\s+method="post"\\s+action="/portal/${token}${cancel}"`));
  expect(service.otherServices.cancellations).toEqual([]);

  const canceled = await service.submit(token, cancel);
  expect(canceled.statusCode).toBe(303);
  expect(canceled.headers.location).toBe(`/portal/${token}?tab=subscriptions&notice=cancel-scheduled`);
  const after = await service.visit(token, '?tab=subscriptions&notice=cancel-scheduled');
  expect(after.body).toContain('is set to end');
  // Nothing is left to confirm.
  expect((await service.visit(token, cancel)).statusCode).toBe(303);

  const resumed = await service.submit(token, `/subscriptions/${subscription.id}/resume`);
  expect(resumed.headers.location).toBe(`/portal/${token}?tab=subscriptions&notice=resumed`);
  expect(subscription.cancelAtPeriodEnd).toBe(false);
  const audit = { actor: { type: 'customer', id: service.customerId }, action: 'updatePortalSubscription' };
  expect(service.otherServices.cancellations).toMatchObject([{ audit }, { audit }]);
});

it('shows that a subscription follows a schedule, which the customer cannot change', async () => {
  await using service = await startService();
  const subscription = aSubscription(service);
  service.otherServices.subscriptions.push(subscription);
  service.otherServices.refusal = unprocessable('subscription_has_schedule', 'A schedule manages the subscription.');
  const { token } = await service.createLink();
  const patched = await patch(service, token, subscription.id, { cancelAtPeriodEnd: true });
  expect([patched.statusCode, patched.json().error.code]).toEqual([422, 'subscription_has_schedule']);
  const byForm = await service.submit(token, `/subscriptions/${subscription.id}/cancel`);
  expect(byForm.headers.location).toBe(`/portal/${token}?tab=subscriptions&notice=has-schedule`);
  expect((await service.visit(token, '?notice=has-schedule')).body).toContain('follows a fixed plan');
});

it('opens a new processor page for every payment update', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const urls = [await setup(service, token), await setup(service, token)].map(
    response => response.json<{ url: string }>().url,
  );
  expect(new Set(urls).size).toBe(2);

  const byForm = await service.submit(token, '/payment-method');
  expect(byForm.statusCode).toBe(303);
  expect(byForm.headers.location).toMatch(new RegExp(`^${service.account.url}/c/pay/`));
});

it('opens the same processor page for a repeated Idempotency-Key', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const key = { 'idempotency-key': 'click-1' };
  const concurrent = await Promise.all([setup(service, token, key), setup(service, token, key)]);
  const first = concurrent.find(({ statusCode }) => statusCode === 200);
  for (const { statusCode } of concurrent) expect([200, 409]).toContain(statusCode);
  const repeated = await setup(service, token, key);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  expect(repeated.json()).toEqual(first?.json());
  expect(repeated.headers['set-cookie']).toBe(first?.headers['set-cookie']);
  expect(await countSessions(service)).toBe(1);
  const stored = JSON.stringify(await service.database.em.execute('select * from idempotent_requests'));
  expect(stored).not.toContain(token);
  expect(stored).not.toContain('/c/pay/');

  const other = await setup(service, token, { 'idempotency-key': 'click-2' });
  expect(other.json()).not.toEqual(first?.json());
  // Each link has keys of its own.
  const { token: another } = await service.createLink();
  expect((await setup(service, another, key)).json()).not.toEqual(first?.json());
});

it('stores nothing for a link that does not work', async () => {
  await using service = await startService();
  const response = await setup(service, 'x'.repeat(43), { 'idempotency-key': 'click-1' });
  expect(response.json()).toMatchObject({ error: { code: 'portal_link_expired' } });
  expect(await service.database.em.execute('select * from idempotent_requests')).toEqual([]);
});

it('opens one processor page when the button of a page is pressed twice, without script', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const { body } = await service.visit(token, '?tab=payment-methods');
  const action = /action="[^"]*(\/payment-method\?key=[^"]+)"/.exec(body)?.[1] ?? '';
  const presses = await Promise.all([1, 2].map(() => service.submit(token, action)));
  expect(presses.map(({ statusCode }) => statusCode)).toEqual([303, 303]);
  expect(new Set(presses.map(({ headers }) => headers.location)).size).toBe(1);
  expect(await countSessions(service)).toBe(1);
  const later = await service.submit(token, '/payment-method?key=of-another-page');
  expect(later.headers.location).not.toBe(presses[0]?.headers.location);
});

it('uses the currency of the newest subscription, or else of the project', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  expect(await setupCurrency(service, token)).toBe('eur');

  const [older, newer] = [
    aSubscription(service, { createdAt: new Date('2026-10-01T00:00:00Z') }),
    aSubscription(service, { createdAt: new Date('2026-11-01T00:00:00Z') }),
  ];
  for (const item of newer.items) item.currency = 'gbp';
  service.otherServices.subscriptions.push(older, newer);
  expect(await setupCurrency(service, token)).toBe('gbp');
});

it('responds with 502 when the processor fails', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const control = new LocalProcessorControl(service.account.url, service.account.secretKey);
  await control.fail({ method: 'POST', path: '/v1/checkout/sessions', mode: '500', times: 20, kept: false });

  const byApi = await setup(service, token);
  expect(byApi.statusCode).toBe(502);
  expect(byApi.json()).toMatchObject({ error: { code: 'processor_error' } });
  const byForm = await service.submit(token, '/payment-method');
  expect(byForm.statusCode).toBe(502);
  expect(byForm.body).toContain('That didn’t go through');
});

it('says that the customer is gone whom the processor has deleted', async () => {
  await using service = await startService();
  const reported: unknown[] = [];
  await service.serve(ReportMissingObject, async ({ type, processorId }) => {
    reported.push([type, processorId]);
    return {};
  });
  const { token } = await service.createLink();
  const { processorCustomerId } = service;
  await service.account.dashboard.customers.del(processorCustomerId);
  const { statusCode, body } = await setup(service, token);
  expect([statusCode, JSON.parse(body).error.code]).toEqual([404, 'customer_not_found']);
  expect((await service.submit(token, '/payment-method')).statusCode).toBe(404);
  expect((await service.visit(token)).statusCode).toBe(200);
  await waitFor(() => reported.length > 0, { what: 'the report' });
  expect(reported).toEqual([['customer', processorCustomerId]]);
});

const patch = (service: Service, token: string, id: string, body: unknown) =>
  service.app.inject({
    method: 'PATCH',
    url: `/api/portal/${token}/subscriptions/${id}`,
    headers: { ...service.identity.anonymous(), 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });

const setup = (service: Service, token: string, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url: `/api/portal/${token}/setup-intent`,
    headers: { ...service.identity.anonymous(), ...headers },
  });

async function countSessions({ account }: Service): Promise<number> {
  const { objects } = await new LocalProcessorControl(account.url, account.secretKey).ledger();
  return objects.filter(({ object }) => object === 'checkout.session').length;
}

/** Starts a payment update. Returns the currency of its session at the processor. */
async function setupCurrency(service: Service, token: string): Promise<unknown> {
  const { url } = (await setup(service, token)).json<{ url: string }>();
  const id = new URL(url).pathname.split('/').at(-1);
  const response = await fetch(`${service.account.url}/v1/checkout/sessions/${id}`, {
    headers: { authorization: `Bearer ${service.account.secretKey}` },
  });
  const session = (await response.json()) as { currency: unknown }; // an object of Stripe's API
  return session.currency;
}
