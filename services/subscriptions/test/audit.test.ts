import { AuditRecorded } from '@billing/contracts/events/audit';
import { CustomerId, SubscriptionId } from '@billing/contracts/ids';
import { ScheduleCancellation } from '@billing/contracts/rpc/as-customer';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNED_TYPES, startService, type Service } from './service.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

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
  expect((await service.call('DELETE', at)).status).toBe(404);

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

it('records what the processor refuses, by whoever tried it, and the write that succeeds later beside it', async () => {
  const subscribed = await subscribeToSeats(service);
  const { id, scope, decline, drop } = subscribed;
  const entriesOf = async () =>
    (await service.published(AuditRecorded))
      .map(({ data }) => data)
      .filter(entry => entry.projectId === scope.projectId);
  const target = { type: 'subscription', id };
  await decline();
  const wanted = { quantity: 8, paymentBehavior: 'error_if_incomplete' } as const;
  expect((await subscribed.change(wanted)).body.error.code).toBe('payment_failed');
  const declined = { action: 'changePlan', target, outcome: 'refused', changes: [] };
  expect(await entriesOf()).toMatchObject([declined]);
  await decline(false);
  // What fails is repeated, and leaves no entry of its own.
  for (const mode of ['400', '500'] as const) {
    await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode, times: 9, kept: false });
    expect((await subscribed.change(wanted, { 'idempotency-key': 'again' })).status).toBe(502);
    await service.control.clearFaults();
  }
  expect((await subscribed.change(wanted, { 'idempotency-key': 'again' })).status).toBe(200);
  const entries = await entriesOf();
  expect(entries.slice(1)).toMatchObject([declined, { ...declined, outcome: 'succeeded', changes: [{ to: 8 }] }]);
  expect(new Set(entries.map(({ id: entry }) => entry)).size).toBe(3);
  await drop();
  expect(await entriesOf()).toHaveLength(3);
});

it('names no target of a checkout that the processor refuses', async () => {
  const { id: customerId } = await service.createCustomer();
  const { price } = await service.createPrice();
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  await service.control.fail({ method: 'POST', path: '/v1/checkout/sessions', mode: '400', times: 1 });
  const refused = await service.call('POST', '/checkout', { body: { customerId, priceId: price.id, ...urls } });
  expect(refused.status).toBe(502);
  const last = (await service.published(AuditRecorded)).at(-1)?.data;
  expect(last).toMatchObject({ action: 'createCheckout', target: null, outcome: 'refused', changes: [] });
});
