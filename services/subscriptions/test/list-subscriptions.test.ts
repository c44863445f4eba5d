import { afterAll, beforeAll, expect, it } from 'vitest';
import { PriceCreated } from '@billing/contracts/events/catalog';
import { PriceId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { after, subscriptionObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const CREATED = 'customer.subscription.created';

it('lists active and trialing subscriptions by default, newest first, in pages', async () => {
  const { scope, base, subscriptions, customer } = await startProject(service);
  const statuses = ['active', 'trialing', 'past_due', 'canceled', 'active'];
  for (const [index, status] of statuses.entries()) {
    const payload = { ...base, id: `${base.id}_${index}`, status, createdAt: after(index) };
    await service.deliver(routedEvent(scope, CREATED, subscriptionObject(payload)));
  }
  expect(await subscriptions('')).toMatchObject([
    { status: 'active', processorSubscriptionId: `${base.id}_4` },
    { status: 'trialing', processorSubscriptionId: `${base.id}_1` },
    { status: 'active', processorSubscriptionId: `${base.id}_0` },
  ]);
  const { body } = await service.call('GET', '/subscriptions?activeOnly=false&limit=2&offset=1', { of: scope });
  expect(body.subscriptions).toHaveLength(2);
  expect(body.pagination).toEqual({
    limit: 2,
    offset: 1,
    total: 5,
    hasMore: true,
    totalIsExact: true,
    nextCursor: expect.any(String),
  });
  expect(await subscriptions(`?customerId=${customer.id}`)).toHaveLength(3);
  const other = await startProject(service);
  expect(await subscriptions(`?customerId=${other.customer.id}`)).toEqual([]);
});

it('filters by status, of any kind unless only active ones are wanted, by price, and by its product', async () => {
  const { scope, base, subscriptions } = await startProject(service);
  const { price } = await service.createPrice({}, scope);
  await service.deliver(newEvent(PriceCreated, scope.teamId, price));
  for (const [index, status] of ['active', 'canceled', 'active'].entries()) {
    const priceId = index === 2 ? price.processorPriceId : 'price_other';
    const payload = { ...base, id: `${base.id}_${index}`, status, priceId };
    await service.deliver(routedEvent(scope, CREATED, subscriptionObject(payload)));
  }
  expect(await subscriptions('?status=canceled')).toMatchObject([{ processorSubscriptionId: `${base.id}_1` }]);
  expect(await subscriptions('?status=active')).toHaveLength(2);
  expect(await subscriptions('?status=active&activeOnly=true')).toHaveLength(2);
  expect(await subscriptions('?status=canceled&activeOnly=true')).toEqual([]);
  expect(await subscriptions(`?priceId=${price.id}`)).toMatchObject([{ processorSubscriptionId: `${base.id}_2` }]);
  expect(await subscriptions(`?status=canceled&priceId=${price.id}`)).toEqual([]);
  const ofProduct = `?productId=${price.productId}`;
  expect(await subscriptions(ofProduct)).toMatchObject([{ processorSubscriptionId: `${base.id}_2` }]);
  expect(await subscriptions(`${ofProduct}&priceId=${PriceId.create()}`)).toEqual([]);
  const other = await startProject(service);
  expect(await other.subscriptions(ofProduct)).toEqual([]);
});

it('returns the same for a subscription of another project as for an unknown id', async () => {
  const { event, subscriptions } = await startProject(service);
  const other = await startProject(service);
  await service.deliver(event(CREATED, after(0)));
  const id = String((await subscriptions())[0]?.['id']);
  const responses = await Promise.all(
    [id, `ps_${'0'.repeat(24)}`].map(one =>
      service.call('GET', `/subscriptions/${one}`, { of: other.scope, headers: { 'x-request-id': 'same' } }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual([404, 404]);
  expect(responses[0]?.text).toBe(responses[1]?.text);
  expect(responses[0]?.body.error.code).toBe('subscription_not_found');
});

it.each(['?activeOnly=1', '?limit=0', '?offset=-1', '?customerId=x', '?priceId=x', '?status=x', '?other=1'])(
  'rejects %s',
  async query => {
    expect((await service.call('GET', `/subscriptions${query}`)).status).toBe(400);
  },
);

it.each(['subscriptions', 'invoices', 'payments'])(
  'leaves lists of %s one index that begins with the project, whatever the statistics say',
  async table => {
    const indexes = await service.em.fork().execute<{ indexname: string }[]>(
      `select indexname from pg_indexes
        where schemaname = current_schema() and tablename = ? and indexdef like '%(team_id, project_id, %'`,
      [table],
    );
    expect(indexes.map(index => index.indexname)).toEqual([`${table}_newest`]);
  },
);
