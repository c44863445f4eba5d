import { isHandled } from '@billing/contracts/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { completed, customerCreated } from './domain-events.ts';
import { startForwardingGateway } from './forwarding-gateway.ts';
import { newTeamWithEndpoint } from './reconciling.ts';
import { startWebhooks } from './start-webhooks.ts';

it('finds the project of every event that a checkout, a renewal and a cancellation cause', async () => {
  await using resources = new AsyncDisposableStack();
  const service = resources.use(await startWebhooks());
  const gateway = resources.adopt(await startForwardingGateway(service), server => server.close());
  const team = await newTeamWithEndpoint(service, gateway.url);
  const { teamId, projectId } = team;

  const metadata = { teamId, projectId };
  const processor = service.processorOf(team);
  const control = service.controlOf(team);
  const product = await processor.createProduct({ name: 'Pro', metadata }, 'product');
  const recurring = { interval: 'month', intervalCount: 1 } as const;
  const price = await processor.createPrice(
    { productId: product.id, unitAmount: 2_999, currency: 'usd', recurring, metadata },
    'price',
  );
  // A customer that was created at Stripe and linked later: its metadata names no project.
  const customer = await processor.createCustomer({ email: 'a@example.com', metadata: {} }, 'customer');
  const session = await processor.createCheckoutSession(
    {
      mode: 'subscription',
      customerId: customer.id,
      lines: [{ priceId: price.id, quantity: 1 }],
      successUrl: 'https://shop.example/done',
      cancelUrl: 'https://shop.example',
      metadata,
    },
    'checkout',
  );
  await control.checkout(session.id);
  await service.emit(customerCreated(teamId, projectId, customer.id));
  const [subscription] = await processor.listSubscriptions(customer.id);
  await control.renew(subscription?.id ?? '');
  await processor.cancelSubscription(subscription?.id ?? '', 'cancel');
  await control.waitForDeliveries();
  expect((await control.deliveries()).every(({ status }) => status === 'delivered')).toBe(true);

  const records = await waitFor(
    async () => {
      const { webhookEvents } = await service.list(team, '?limit=100');
      const unrouted = webhookEvents.filter(({ status, projectId: found }) => status !== 'ignored' && found === null);
      return unrouted.length === 0 ? webhookEvents : undefined;
    },
    { what: 'every event to find its project' },
  );
  const handled = records.filter(({ type }) => isHandled(String(type)));
  expect(handled.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'product.created',
      'price.created',
      'customer.created',
      'checkout.session.completed',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
      'invoice.finalized',
      'invoice.paid',
      'payment_intent.succeeded',
      'charge.succeeded',
    ]),
  );
  expect(handled.every(record => record.projectId === projectId)).toBe(true);
  expect(records.filter(({ status }) => status === 'ignored').every(({ type }) => !isHandled(String(type)))).toBe(true);

  await service.emit(...handled.map(({ id }) => completed(team, String(id))));
  const processed = await service.list(team, '?limit=100&status=processed');
  expect(new Set(processed.webhookEvents.map(({ id }) => id))).toEqual(new Set(handled.map(({ id }) => id)));
  expect(service.received.filter(({ type }) => type.startsWith('processor.'))).toHaveLength(handled.length);

  // The team's schema holds what Stripe would return now.
  const subscriptions = await service.sql(`select data from "${teamId}".subscriptions`);
  expect(subscriptions).toMatchObject([{ data: { id: subscription?.id, status: 'canceled' } }]);
});
