import { CustomerCreated, type CustomerState } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { portalSetupMetadata } from '@billing/processor/metadata';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startEntitledProject } from './entitled-project.ts';
import { objectOf, startService, type Service } from './service.ts';

const URLS = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** Starts a project whose customer is sent to a checkout. */
async function start(mode: 'subscription' | 'payment' = 'subscription') {
  const project = await startEntitledProject(service);
  const { scope, customer } = project;
  const price = mode === 'payment' ? (await service.createPrice({ recurring: false }, scope)).price : project.price;
  const checkOut = async (): Promise<string> => {
    const body = { customerId: customer.id, priceId: price.id, mode, ...URLS };
    return (await service.call('POST', '/checkout', { of: scope, body })).body.sessionId;
  };
  const sessionId = await checkOut();
  return {
    ...project,
    soldPrice: price,
    sessionId,
    checkOut,
    read: (query = '', session = sessionId) => readState(scope, customer, `checkoutSession=${session}${query}`),
    events: async (...types: ProcessorEventType[]) =>
      (await service.account.events(scope, ...types)).filter(
        event => objectOf(event)['customer'] === customer.processorCustomerId,
      ),
    created: async () =>
      (await service.published(SubscriptionCreated)).filter(({ data }) => data.customerId === customer.id),
  };
}

const readState = (of: ProjectScope, { id }: CustomerState, query: string) =>
  service.call('GET', `/customers/${id}/state?${query}`, { of });

/** How often any checkout session was read at the processor so far. */
async function countReads(): Promise<number> {
  const statuses = (await service.control.ledger()).calls['GET /v1/checkout/sessions/:id'] ?? {};
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

it('shows open checkouts, the newest first, until they are paid, expire or are a day old', async () => {
  const project = await start();
  const { sessionId, scope, customer, soldPrice } = project;
  const newer = await project.checkOut();
  const pending = async () => (await project.state()).pendingCheckouts;
  expect(await pending()).toEqual(
    [newer, sessionId].map(id => ({
      sessionId: id,
      priceId: soldPrice.id,
      url: expect.stringContaining(id),
      createdAt: expect.stringMatching(/Z$/),
    })),
  );
  expect((await project.read()).body.state.checkout).toEqual({ status: 'open' });
  await service.control.checkout(newer);
  await service.deliver(...(await project.events('checkout.session.completed')));
  expect(await pending()).toMatchObject([{ sessionId }]);
  const [last, old] = [await project.checkOut(), await project.checkOut()];
  const ofCustomer = { id: last, object: 'checkout.session', mode: 'subscription', payment_status: 'unpaid' };
  await service.deliver(routedEvent(scope, 'checkout.session.expired', { ...ofCustomer, status: 'expired' }));
  await service.em
    .fork()
    .execute(`update checkout_sessions set created_at = now() - interval '24 hours' where processor_session_id = ?`, [
      old,
    ]);
  expect(await pending()).toMatchObject([{ sessionId }]);
  expect((await readState(scope, customer, `checkoutSession=${last}`)).body.state.checkout).toEqual({
    status: 'failed',
  });
});

it('has what was just paid before any event comes, and records it once when they come', async () => {
  const project = await start();
  const { sessionId } = project;
  await service.control.checkout(sessionId);
  const before = await countReads();
  const { state } = (await project.read()).body;
  expect(state).toMatchObject({
    checkout: { status: 'complete' },
    subscriptions: [{ status: 'active', grants: true }],
    entitlements: { sso: { value: true }, seats: { value: 3 } },
    pendingCheckouts: [],
  });
  const events = await project.events('customer.subscription.created', 'checkout.session.completed');
  expect(events).toHaveLength(2);
  await service.deliver(...events);
  expect((await project.read('&waitMs=10000')).body.state).toEqual({ ...state, asOf: expect.any(String) });
  expect((await countReads()) - before).toBe(1);
  expect(await project.created()).toHaveLength(1);
  const created = (await service.publicEvents()).filter(({ type }) => type === 'subscription.created');
  const causes = created.filter(({ projectId }) => projectId === project.scope.projectId).map(({ cause }) => cause);
  expect(causes).toEqual([{ type: 'processor', requestId: null, processorEventId: null }]);
});

it('reads nothing at the processor that an event has brought', async () => {
  const project = await start();
  await service.control.checkout(project.sessionId);
  await service.deliver(...(await project.events('checkout.session.completed')));
  await service.control.fail({ mode: '500', times: 1_000 });
  expect((await project.read()).body.state).toMatchObject({
    checkout: { status: 'complete' },
    subscriptions: [{ status: 'active' }],
  });
});

it('records a checkout once that many read while its events come', async () => {
  const project = await start();
  await service.control.checkout(project.sessionId);
  const events = await project.events('checkout.session.completed', 'customer.subscription.created');
  const [, ...reads] = await Promise.all([
    service.deliver(...events),
    ...Array.from({ length: 5 }, () => project.read('&waitMs=10000')),
  ]);
  expect(reads.map(({ body }) => body.state.checkout.status)).toEqual(reads.map(() => 'complete'));
  expect(await project.created()).toHaveLength(1);
  expect(await project.subscriptions()).toHaveLength(1);
});

it('is read once, also while it is open, and its event is waited for then', async () => {
  const project = await start();
  const before = await countReads();
  expect((await project.read()).body.state.checkout).toEqual({ status: 'open' });
  await service.control.checkout(project.sessionId);
  let hasResponse = false;
  const waiting = project.read('&waitMs=10000').finally(() => (hasResponse = true));
  expect((await project.read('&waitMs=1')).body.state.checkout).toEqual({ status: 'open' });
  expect(hasResponse).toBe(false);
  await service.deliver(...(await project.events('checkout.session.completed')));
  expect((await waiting).body.state).toMatchObject({
    checkout: { status: 'complete' },
    subscriptions: [{ status: 'active' }],
  });
  expect((await countReads()) - before).toBe(1);
});

it('waits for so many checkouts of a team at the same time, and responds to further requests at once', async () => {
  const project = await start();
  await project.read();
  let responses = 0;
  const reads = Array.from({ length: 40 }, () => project.read('&waitMs=10000').finally(() => (responses += 1)));
  await waitFor(() => responses === 8, { what: 'those for whom no place is left' });
  await service.control.checkout(project.sessionId);
  await service.deliver(...(await project.events('checkout.session.completed')));
  const statuses = (await Promise.all(reads)).map(({ body }) => body.state.checkout.status);
  expect(statuses.filter(status => status === 'complete')).toHaveLength(32);
  expect(statuses.filter(status => status === 'open')).toHaveLength(8);
});

it.each(['subscription', 'payment'] as const)(
  'goes on in %s mode while the payment is on its way, in whatever order its events come',
  async mode => {
    for (const outcome of ['pay', 'decline'] as const) {
      const [read, told, early] = [await start(mode), await start(mode), await start(mode)];
      const sessions = [read, told, early];
      for (const { sessionId } of sessions) await service.control.checkout(sessionId, 'pay-later');
      expect((await read.read()).body.state.checkout).toEqual({ status: 'processing' });
      expect((await read.read()).body.state.entitlements).toEqual({});
      await service.deliver(...(await told.events('checkout.session.completed')));
      expect((await told.read()).body.state.checkout).toEqual({ status: 'processing' });
      for (const { sessionId } of sessions) await service.control.settleCheckout(sessionId, outcome);
      const status = outcome === 'pay' ? 'complete' : 'failed';
      for (const project of sessions) {
        const settled = `checkout.session.async_payment_${outcome === 'pay' ? 'succeeded' : 'failed'}` as const;
        const events = await project.events('customer.subscription.updated', settled, 'checkout.session.completed');
        await service.deliver(...(project === early ? events.toReversed() : events));
        const { state } = (await project.read('&waitMs=10000')).body;
        expect(state.checkout).toEqual({ status });
        expect(state.entitlements).toMatchObject(
          mode === 'subscription' && outcome === 'pay' ? { sso: { value: true } } : {},
        );
      }
    }
  },
);

it('ends alike in every order of events and reads, repeated or not', async () => {
  const steps = ['read', 'completed', 'created', 'updated', 'settled'] as const;
  const order = fc.array(fc.constantFrom(...steps), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(order, fc.constantFrom('pay', 'pay-later'), fc.boolean(), async (first, action, together) => {
      const project = await start();
      await service.control.checkout(project.sessionId, action);
      if (action === 'pay-later') await service.control.settleCheckout(project.sessionId);
      const take = async (step: (typeof steps)[number]): Promise<unknown> => {
        if (step === 'read') return project.read();
        const types = {
          completed: 'checkout.session.completed',
          created: 'customer.subscription.created',
          updated: 'customer.subscription.updated',
          settled: 'checkout.session.async_payment_succeeded',
        } as const;
        return service.deliver(...(await project.events(types[step])));
      };
      const all = [...first, ...steps];
      if (together) await Promise.all(all.map(take));
      else for (const step of all) await take(step);
      expect((await project.read()).body.state).toMatchObject({
        checkout: { status: 'complete' },
        subscriptions: [{ status: 'active' }],
        entitlements: { seats: { value: 3 } },
      });
      expect(await project.created()).toHaveLength(1);
    }),
    { numRuns: runs(6) },
  );
});

it('records a one-time checkout, too', async () => {
  const project = await start('payment');
  await service.control.checkout(project.sessionId);
  expect((await project.read()).body.state).toMatchObject({ checkout: { status: 'complete' }, pendingCheckouts: [] });
});

it('fails while the processor does not respond, records nothing, and is read again', async () => {
  const project = await start();
  await service.control.checkout(project.sessionId);
  await service.control.fail({ path: '/v1/checkout', mode: '429', times: 3 });
  expect(await project.read('&waitMs=10')).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  await service.control.clearFaults();
  await service.control.fail({ path: '/v1/subscriptions', mode: '500', times: 3 });
  expect(await project.read()).toMatchObject({ status: 502, body: { error: { code: 'processor_error' } } });
  expect(await project.created()).toEqual([]);
  await service.control.clearFaults();
  expect((await project.read()).body.state.checkout).toEqual({ status: 'complete' });
});

it('takes a session that was made elsewhere, and reads it once', async () => {
  const project = await start();
  const { customer, price } = project;
  const session = await service.account.dashboard.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.processorCustomerId,
    line_items: [{ price: price.processorPriceId, quantity: 2 }],
    success_url: URLS.successUrl,
  });
  const read = async () => (await project.read('', session.id)).body.state;
  const before = await countReads();
  expect(await read()).toMatchObject({ checkout: { status: 'open' }, pendingCheckouts: [{}] });
  await service.control.checkout(session.id);
  await service.deliver(...(await project.events('checkout.session.completed')));
  expect(await read()).toMatchObject({ checkout: { status: 'complete' }, entitlements: { seats: { value: 6 } } });
  expect((await countReads()) - before).toBe(1);
});

it('is 404 for a session that is not the customer’s, whatever came of it', async () => {
  const [project, other] = [await start(), await start()];
  await service.control.checkout(other.sessionId);
  const { processorCustomerId: customerId } = project.customer;
  const metadata = portalSetupMetadata(project.scope, project.customer.id);
  const setup = { customerId, currency: 'usd', ...URLS, metadata };
  const mate = await service.createCustomer(project.scope);
  await service.deliver(newEvent(CustomerCreated, project.scope.teamId, mate));
  const shared = await service.createCustomer(other.scope, customerId);
  const ofShared = await service.processor.createCheckoutSession(
    {
      mode: 'subscription',
      customerId,
      lines: [{ priceId: project.price.processorPriceId, quantity: 1 }],
      ...URLS,
      metadata: { ...other.scope, customerId: shared.id },
    },
    shared.id,
  );
  for (const [of, id] of [
    [project.customer, other.sessionId],
    [mate, project.sessionId],
    [project.customer, 'cs_test_unknown'],
    [project.customer, (await service.processor.createSetupSession(setup, customerId)).id],
    [project.customer, ofShared.id],
  ] as const) {
    const { status, body } = await readState(project.scope, of, `checkoutSession=${id}`);
    expect([status, body.error.code]).toEqual([404, 'checkout_session_not_found']);
  }
  expect(await other.created()).toEqual([]);
  for (const id of ['pi_1', 'cs_../customers', 'cs_', `cs_${'x'.repeat(300)}`])
    expect((await readState(project.scope, project.customer, `checkoutSession=${encodeURIComponent(id)}`)).status).toBe(
      400,
    );
});
