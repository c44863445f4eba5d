import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import { SubscriptionCanceled } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
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
const UPDATED = 'customer.subscription.updated';
const DELETED = 'customer.subscription.deleted';

describe('the customer of a subscription', () => {
  it('is found by RPC while there is no copy of it', async () => {
    const { event, subscriptions, customer } = await startProject(service, { hasCopy: false });
    await service.deliver(event(CREATED, after(0)));
    expect(await subscriptions()).toMatchObject([{ customerId: customer.id }]);
  });

  it('may be created after the event, which is delivered again until then', async () => {
    const { scope, base, subscriptions } = await startProject(service);
    const event = routedEvent(scope, CREATED, subscriptionObject({ ...base, customer: 'cus_later' }));
    expect(await service.deliverOnce('subscriptions-mirror', event, 1)).toBe('redeliver');
    const customer = await service.createCustomer(scope, 'cus_later');
    expect(await service.deliverOnce('subscriptions-mirror', event, 2)).toBe('ack');
    expect(await subscriptions()).toMatchObject([{ customerId: customer.id }]);
  });

  it('is never one of another project, whatever the metadata says', async () => {
    const one = await startProject(service);
    const other = await startProject(service);
    await service.deliver(one.event(CREATED, after(0), { metadata: { customerId: other.customer.id } }));
    expect(await one.subscriptions()).toMatchObject([{ customerId: one.customer.id }]);
    expect(await other.subscriptions()).toEqual([]);
  });

  it('is the one that is not deleted when two share an id at the processor', async () => {
    const { scope, customer, event, subscriptions } = await startProject(service);
    const deleted = { ...customer, version: 2, deletedAt: new Date() };
    await service.deliver(newEvent(CustomerDeleted, scope.teamId, deleted));
    const again = await service.createCustomer(scope, customer.processorCustomerId);
    await service.deliver(newEvent(CustomerCreated, scope.teamId, again));
    await service.deliver(event(CREATED, after(0)));
    expect(await subscriptions()).toMatchObject([{ customerId: again.id }]);
  });
});

describe('a customer that was deleted', () => {
  const deletion = (scope: ProjectScope, { processorCustomerId }: CustomerState) =>
    routedEvent(
      scope,
      'customer.deleted',
      { id: processorCustomerId, object: 'customer', deleted: true },
      { createdAt: after(50) },
    );

  it.each(['before', 'after'])('at the processor cancels the subscriptions, %s their own events', async order => {
    const { scope, customer, event, subscriptions, published } = await startProject(service);
    await service.deliver(event(CREATED, after(0)));
    const ended = event(DELETED, after(50), { status: 'canceled', endedAt: after(50) });
    const events = [deletion(scope, customer), ended];
    for (const one of order === 'before' ? events : events.toReversed()) await service.deliver(one);
    expect(await subscriptions()).toMatchObject([{ status: 'canceled' }]);
    expect((await published()).filter(({ type }) => type === SubscriptionCanceled.name)).toHaveLength(1);
  });

  it('at the processor ends a subscription that becomes known later', async () => {
    const { scope, customer, event, subscriptions, published } = await startProject(service);
    await service.deliver(deletion(scope, customer));
    await service.deliver(event(CREATED, after(0)));
    await service.deliver(event(UPDATED, after(9), { status: 'past_due' }));
    expect(await subscriptions()).toMatchObject([{ status: 'canceled', endedAt: after(50).toISOString() }]);
    const shown = (await published()).flatMap(({ data }) => data.shown);
    expect(shown.map(({ status }) => status)).toEqual(['active', 'past_due']);
  });

  it('at the processor leaves the same record in every order of events, also without one of the end', async () => {
    const orders = [0, 1, 2].flatMap(a => [0, 1, 2].flatMap(b => (a === b ? [] : [[a, b, 3 - a - b]])));
    const records = [];
    for (const order of orders) {
      const { scope, customer, event, subscriptions, published } = await startProject(service);
      const events = [
        event(CREATED, after(0)),
        event(UPDATED, after(9), { quantity: 4, status: 'past_due' }),
        deletion(scope, customer),
      ];
      for (const index of order) await service.deliver(...events.slice(index, index + 1));
      const [{ status, quantity, endedAt, canceledAt, items } = {}] = await subscriptions();
      const shown = (await published()).flatMap(({ data }) => data.shown).map(({ at, status: was }) => [at, was]);
      records.push(JSON.stringify([status, quantity, endedAt, canceledAt, items, shown.map(String).toSorted()]));
    }
    expect(orders).toHaveLength(6);
    expect(new Set(records).size).toBe(1);
    expect(records[0]).toContain('["canceled",4,');
  });

  it('at the processor cancels the subscriptions of no other customer', async () => {
    const { scope, customer, event, subscriptions } = await startProject(service);
    const other = await service.createCustomer(scope);
    await service.deliver(event(CREATED, after(0)));
    await service.deliver(event(CREATED, after(0), { id: 'sub_other', customer: other.processorCustomerId }));
    await service.deliver(deletion(scope, customer));
    expect(await subscriptions(`?activeOnly=false&customerId=${customer.id}`)).toMatchObject([{ status: 'canceled' }]);
    expect(await subscriptions(`?customerId=${other.id}`)).toMatchObject([{ status: 'active' }]);
  });

  it('only here keeps its subscriptions, since the processor still bills them', async () => {
    const { scope, customer, event, subscriptions } = await startProject(service);
    await service.deliver(event(CREATED, after(0)));
    const deleted = { ...customer, version: 2, deletedAt: new Date() };
    await service.deliver(newEvent(CustomerDeleted, scope.teamId, deleted));
    await service.deliver(event(UPDATED, after(9), { status: 'past_due' }));
    expect(await subscriptions()).toMatchObject([{ status: 'past_due', customerId: customer.id }]);
  });
});
