import { expect, it } from 'vitest';
import { SubscriptionId } from '@billing/contracts/ids';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { aSubscription, startService, type Service } from './service.ts';

it('cancels at the end of the period, and resumes, as the customer', async () => {
  await using service = await startService();
  const subscription = aSubscription(service);
  service.neighbours.subscriptions.push(subscription);
  const { token } = await service.portalLink();

  const canceled = await patch(service, token, subscription.id, { cancelAtPeriodEnd: true });
  expect(canceled.statusCode).toBe(200);
  expect(canceled.json()).toMatchObject({
    subscription: {
      id: subscription.id,
      status: 'active',
      cancelAtPeriodEnd: true,
      currentPeriodEnd: subscription.currentPeriodEnd.toISOString(),
    },
  });
  expect(canceled.json<{ subscription: object }>().subscription).not.toHaveProperty('metadata');
  const page = await service.visit(token);
  expect(page.body).toContain('Ending soon');
  expect(page.body).toContain('Cancels on');
  expect(page.body).toContain('Resume');

  const resumed = await patch(service, token, subscription.id, { cancelAtPeriodEnd: false });
  expect(resumed.json()).toMatchObject({ subscription: { cancelAtPeriodEnd: false } });
  const { teamId, projectId } = service.scope;
  const question = { teamId, projectId, customerId: service.customerId, subscriptionId: subscription.id };
  expect(service.asked).toEqual([
    { ...question, cancelAtPeriodEnd: true },
    { ...question, cancelAtPeriodEnd: false },
  ]);
});

it('knows no subscription of another customer', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const response = await patch(service, token, SubscriptionId.create(), { cancelAtPeriodEnd: true });
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({ error: { code: 'subscription_not_found' } });
  expect((await service.submit(token, `/subscriptions/${SubscriptionId.create()}/cancel`)).statusCode).toBe(404);
});

it.each([{}, { cancelAtPeriodEnd: 'true' }, { cancelAtPeriodEnd: null }, { cancelAtPeriodEnd: true, quantity: 0 }])(
  'takes only cancelAtPeriodEnd, not %j',
  async body => {
    await using service = await startService();
    const { token } = await service.portalLink();
    const response = await patch(service, token, SubscriptionId.create(), body);
    expect(response.statusCode).toBe(400);
    expect(service.asked).toEqual([]);
  },
);

it('does nothing for a link that has expired', async () => {
  await using service = await startService();
  const subscription = aSubscription(service);
  service.neighbours.subscriptions.push(subscription);
  const { token } = await service.portalLink();
  await service.database.em.execute('update portal_sessions set expires_at = clock_timestamp()');

  const patched = await patch(service, token, subscription.id, { cancelAtPeriodEnd: true });
  expect(patched.statusCode).toBe(404);
  expect(patched.json()).toMatchObject({ error: { code: 'portal_link_expired' } });
  expect((await service.submit(token, `/subscriptions/${subscription.id}/cancel`)).statusCode).toBe(404);
  expect((await service.submit(token, '/payment-method')).statusCode).toBe(404);
  expect(service.asked).toEqual([]);
});

it('cancels and resumes by forms where there is no script, rpc first', async () => {
  await using service = await startService();
  const subscription = aSubscription(service, { currentPeriodEnd: new Date('2026-12-20T00:00:00Z') });
  service.neighbours.subscriptions.push(subscription);
  const { token } = await service.portalLink();
  const cancel = `/subscriptions/${subscription.id}/cancel`;
  expect((await service.visit(token)).body).toContain(`href="/portal/${token}${cancel}"`);

  const question = await service.visit(token, cancel);
  expect(question.statusCode).toBe(200);
  expect(question.body).toContain('Dec 20, 2026');
  expect(question.body).toMatch(new RegExp(`<form\\s+method="post"\\s+action="/portal/${token}${cancel}"`));
  expect(service.asked).toEqual([]);

  const done = await service.submit(token, cancel);
  expect(done.statusCode).toBe(303);
  expect(done.headers.location).toBe(`/portal/${token}?tab=subscriptions&notice=cancel-scheduled`);
  const after = await service.visit(token, '?tab=subscriptions&notice=cancel-scheduled');
  expect(after.body).toContain('is set to end');
  // Asked again, there is nothing left to confirm.
  expect((await service.visit(token, cancel)).statusCode).toBe(303);

  const resumed = await service.submit(token, `/subscriptions/${subscription.id}/resume`);
  expect(resumed.headers.location).toBe(`/portal/${token}?tab=subscriptions&notice=resumed`);
  expect(subscription.cancelAtPeriodEnd).toBe(false);
});

it('opens a page of its own for every press of the button, in the currency of what is billed', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const urls = [await setup(service, token), await setup(service, token)].map(made => made.json<{ url: string }>().url);
  expect(new Set(urls).size).toBe(2);

  const byForm = await service.submit(token, '/payment-method');
  expect(byForm.statusCode).toBe(303);
  expect(byForm.headers.location).toMatch(new RegExp(`^${service.stripe.url}/c/pay/`));
});

it('says what failed when the processor refuses', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const control = new LocalProcessorControl(service.stripe.url, service.secretKey);
  await control.fail({ method: 'POST', path: '/v1/checkout/sessions', mode: '500', times: 20, kept: false });

  const byApi = await setup(service, token);
  expect(byApi.statusCode).toBe(502);
  expect(byApi.json()).toMatchObject({ error: { code: 'processor_error' } });
  const byForm = await service.submit(token, '/payment-method');
  expect(byForm.statusCode).toBe(502);
  expect(byForm.body).toContain('That didn’t go through');
});

const patch = (service: Service, token: string, id: string, payload: object) =>
  service.app.inject({
    method: 'PATCH',
    url: `/api/portal/${token}/subscriptions/${id}`,
    headers: service.identity.anonymous(),
    payload,
  });

const setup = (service: Service, token: string) =>
  service.app.inject({
    method: 'POST',
    url: `/api/portal/${token}/setup-intent`,
    headers: service.identity.anonymous(),
  });
