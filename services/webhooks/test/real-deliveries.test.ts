import { CustomerCreated } from '@billing/contracts/events/customers';
import { isHandled } from '@billing/contracts/processor-events';
import { stripeClient } from '@billing/processor/stripe-client';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { customerState, listen, settle, tell } from './bus.ts';
import { startGateway } from './gateway.ts';
import { newCredentials, startService, type Team } from './service.ts';

it('finds the project of everything that a checkout and a renewal make the processor say', async () => {
  await using resources = new AsyncDisposableStack();
  const service = resources.use(await startService());
  const gateway = resources.adopt(await startGateway(service), running => running.close());
  const bus = listen(service);
  const team: Team = await service.newTeam();
  const { teamId, projectId } = team;
  const stripe = stripeClient(team.secretKey, service.stripe.url);
  const { secret } = await stripe.webhookEndpoints.create({
    url: `${gateway.url}/api/webhooks/processor/${teamId}`,
    enabled_events: ['*'],
  });
  const { secretKey } = team;
  await service.connect(teamId, { ...newCredentials(), secretKey, webhookSecret: secret ?? '' });

  const metadata = { teamId, projectId };
  const processor = service.processorOf(team);
  const control = service.controlOf(team);
  const product = await processor.createProduct({ name: 'Pro', metadata }, 'product');
  const recurring = { interval: 'month', intervalCount: 1 } as const;
  const price = await processor.createPrice(
    { productId: product.id, unitAmount: 2_999, currency: 'usd', recurring, metadata },
    'price',
  );
  // A customer that the service found at the processor and linked: its metadata names no project.
  const customer = await processor.createCustomer({ email: 'a@example.com', metadata: {} }, 'customer');
  const session = await processor.createCheckoutSession(
    {
      mode: 'subscription',
      customerId: customer.id,
      line: { priceId: price.id, quantity: 1 },
      successUrl: 'https://shop.example/done',
      cancelUrl: 'https://shop.example',
      metadata,
    },
    'checkout',
  );
  await control.checkout(session.id);
  await tell(service, CustomerCreated, teamId, customerState(projectId, customer.id));
  const [subscription] = await processor.listSubscriptions(customer.id);
  await control.renew(subscription?.id ?? '');
  await processor.cancelSubscription(subscription?.id ?? '', 'cancel');
  await control.deliveriesSettled();
  expect((await control.deliveries()).every(({ status }) => status === 'delivered')).toBe(true);

  const records = await waitFor(
    async () => {
      const { webhookEvents } = await service.list(team, '?limit=100');
      const open = webhookEvents.filter(({ status, projectId: found }) => status !== 'ignored' && found === null);
      return open.length === 0 ? webhookEvents : undefined;
    },
    { what: 'every event to find its project', timeoutMs: 15_000 },
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

  await Promise.all(handled.map(({ id }) => settle(service, teamId, String(id), projectId)));
  const ids = new Set(handled.map(({ id }) => id));
  await waitFor(
    async () =>
      (await service.list(team, '?limit=100&status=processed')).webhookEvents.filter(({ id }) => ids.has(id)).length ===
      handled.length,
    { what: 'every event to be processed', timeoutMs: 10_000 },
  );
  expect(bus.heard.filter(({ type }) => type.startsWith('processor.')).length).toBe(handled.length);

  // The team's schema holds what the processor itself would answer now.
  const { rows } = await service.admin.query(`select data from "${teamId}".subscriptions`);
  expect(rows).toHaveLength(1);
  expect(rows[0].data).toMatchObject({ id: subscription?.id, status: 'canceled' });
}, 60_000);
