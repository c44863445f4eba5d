import { AuditRecorded } from '@billing/contracts/events/audit';
import { CustomerId, SubscriptionId } from '@billing/contracts/ids';
import { ScheduleCancellation } from '@billing/contracts/rpc/calls';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNED_TYPES, startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const change = (field: string, from: unknown, to: unknown) => ({ field, from, to });

it('records checkouts and changes of a subscription with their callers', async () => {
  const customer = await service.createCustomer();
  const { price } = await service.createPrice();
  const urls = { successUrl: 'https://shop.example/ok?t=secret-1', cancelUrl: 'https://shop.example/no' };
  const body = { customerId: customer.id, priceId: price.id, ...urls };
  const buy = () => service.call('POST', '/checkout', { body, headers: { 'idempotency-key': 'once' } });
  const { sessionId } = (await buy()).body;
  await buy();
  await service.control.checkout(sessionId);
  for (const event of await service.account.events(service.scope, ...OWNED_TYPES)) await service.deliver(event);
  const [{ id }] = (await service.call('GET', `/subscriptions?customerId=${customer.id}`)).body.subscriptions;
  const subscriptionId = SubscriptionId.schema.parse(id);
  const at = `/subscriptions/${subscriptionId}`;
  const more = await service.call('POST', `${at}/change`, {
    body: { quantity: 2 },
    headers: { 'idempotency-key': 'more' },
  });
  expect(more.status).toBe(200);
  expect((await service.call('DELETE', `${at}/change`)).status).toBe(404);
  expect((await service.call('PATCH', at, { body: { cancelAtPeriodEnd: true } })).status).toBe(200);
  expect((await service.call('PATCH', at, { body: { cancelAtPeriodEnd: true } })).status).toBe(200);
  const audit = testAuditContext();
  const customerId = CustomerId.schema.parse(customer.id);
  await service.run();
  const request = { ...service.scope, customerId, subscriptionId, cancelAtPeriodEnd: false, cancellation: null, audit };
  await service.rpc.call(ScheduleCancellation, request);
  expect((await service.call('DELETE', at)).status).toBe(200);
  expect((await service.call('DELETE', at)).status).toBe(422);

  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  const target = { type: 'subscription', id: subscriptionId };
  const byKey = { actor: { type: 'key' }, projectId: service.scope.projectId, requestId: 'req_test' };
  expect(entries).toMatchObject([
    {
      ...byKey,
      action: 'createCheckout',
      target: { type: 'checkout_session', id: sessionId },
      changes: [
        change('mode', null, 'subscription'),
        change('customerId', null, customer.id),
        change('priceId', null, price.id),
        change('quantity', null, 1),
      ],
    },
    { ...byKey, action: 'changePlan', target, changes: [change('quantity', 1, 2)] },
    { ...byKey, action: 'updateSubscription', target, changes: [change('cancelAtPeriodEnd', false, true)] },
    { ...byKey, action: 'updateSubscription', target, changes: [] },
    { ...audit, target, changes: [change('cancelAtPeriodEnd', true, false)] },
    { ...byKey, action: 'cancelSubscription', target, changes: [change('status', 'active', 'canceled')] },
  ]);
  expect(JSON.stringify(entries)).not.toContain('secret-1');
});
