import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import { PriceCreated } from '@billing/contracts/events/catalog';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { ProcessorEventCompleted, type ProcessorEventType } from '@billing/contracts/processor-events';
import { ProjectId, type ProjectScope } from '@billing/contracts/ids';
import { deliveredAgain, processorFact, completionsIn } from '@billing/testing/processor-events';
import { Subscription } from '../src/persistence/subscription.entity.ts';
import { after, aSubscription, BASE_TIME, subscriptionObject, type SubscriptionPayload } from './payloads.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project of its own with one customer, and what happens to a subscription of that customer. */
async function aProject() {
  const scope: ProjectScope = { ...service.scope, projectId: ProjectId.create() };
  const customer = await service.createCustomer(scope);
  await service.receive(service.tell(CustomerCreated, customer, scope));
  const id = `sub_${scope.projectId}`;
  const base = aSubscription({ id, customer: customer.processorCustomerId });
  return {
    scope,
    customer,
    base,
    event: (type: ProcessorEventType, createdAt: Date, changes: Partial<SubscriptionPayload> = {}) =>
      processorFact(scope, type, subscriptionObject({ ...base, ...changes }), { createdAt }),
    list: async (query = '?activeOnly=false') => {
      const { body } = await service.call('GET', `/subscriptions${query}`, { of: scope });
      return body.subscriptions as Record<string, unknown>[]; // the answer has passed the operation's schema
    },
    said: async () => {
      const facts = await service.said(SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled);
      return facts.filter(({ data }) => data['projectId'] === scope.projectId);
    },
  };
}

const CREATED = 'customer.subscription.created';
const UPDATED = 'customer.subscription.updated';
const DELETED = 'customer.subscription.deleted';

describe('the mirror of a subscription', () => {
  it('begins with the first event, of whatever kind, and says so once', async () => {
    for (const type of [CREATED, UPDATED, 'customer.subscription.trial_will_end'] as const) {
      const { event, list, said, customer } = await aProject();
      await service.receive(event(type, after(0), { status: 'trialing', trialEnd: after(86_400) }));
      expect(await list()).toMatchObject([{ status: 'trialing', customerId: customer.id, quantity: 1 }]);
      expect(await said()).toMatchObject([{ type: SubscriptionCreated.name, data: { version: 1 } }]);
    }
  });

  it('says of one first seen as deleted that it was created and that it was canceled', async () => {
    const { event, list, said } = await aProject();
    await service.receive(event(DELETED, after(5), { status: 'canceled', endedAt: after(5) }));
    await service.receive(event(CREATED, after(0), {}));
    expect(await list()).toMatchObject([{ status: 'canceled' }]);
    expect((await said()).map(({ type, data }) => [type, data['version'], data['endedAt']])).toEqual([
      [SubscriptionCreated.name, 1, after(5).toISOString()],
      [SubscriptionCanceled.name, 2, after(5).toISOString()],
    ]);
  });

  it('keeps its own copy of what it bills, by our price where there is one', async () => {
    const { scope, event, list, said, base } = await aProject();
    const { price } = await service.createPrice({}, scope);
    await service.receive(service.tell(PriceCreated, price, scope));
    await service.receive(event(CREATED, after(0), { priceId: price.processorPriceId, quantity: 4 }));
    expect(await list()).toMatchObject([{ priceId: price.id, quantity: 4 }]);
    const [created] = await said();
    expect(created?.data['items']).toEqual([
      {
        processorPriceId: price.processorPriceId,
        priceId: price.id,
        unitAmount: base.unitAmount,
        currency: 'usd',
        interval: 'month',
        intervalCount: 1,
        quantity: 4,
        metered: false,
      },
    ]);
  });

  it('has no price id for a price made elsewhere, until the price becomes known', async () => {
    const { scope, event, list, said } = await aProject();
    const { price } = await service.createPrice({}, scope);
    await service.receive(event(CREATED, after(0), { priceId: price.processorPriceId }));
    expect((await list())[0]).not.toHaveProperty('priceId');
    await service.receive(service.tell(PriceCreated, price, scope));
    await service.receive(service.tell(PriceCreated, price, scope));
    expect(await list()).toMatchObject([{ priceId: price.id }]);
    expect((await said()).map(({ data }) => data['version'])).toEqual([1, 2]);
  });

  it.each(['old', 'new'] as const)('reads the %s shape of payloads', async shape => {
    const { scope, base, list } = await aProject();
    const cancelAt = after(86_400);
    const object = subscriptionObject({ ...base, cancelAt }, shape);
    await service.receive(processorFact(scope, CREATED, object));
    expect(await list()).toMatchObject([
      {
        cancelAtPeriodEnd: true,
        currentPeriodStart: base.periodStart.toISOString(),
        currentPeriodEnd: base.periodEnd.toISOString(),
        createdAt: BASE_TIME.toISOString(),
      },
    ]);
    const [row] = await service.database.em.fork().find(Subscription, scope);
    expect(row?.cancelAt).toEqual(cancelAt);
  });

  it('shows the metadata of its writer without the keys of this service', async () => {
    const { event, list, customer } = await aProject();
    await service.receive(event(CREATED, after(0), { metadata: { plan: 'gold', customerId: customer.id } }));
    expect((await list())[0]?.['metadata']).toEqual({ plan: 'gold' });
  });

  it('changes with newer events only, and says nothing when nothing changes', async () => {
    const { event, list, said } = await aProject();
    await service.receive(event(CREATED, after(0)));
    await service.receive(event(UPDATED, after(20), { status: 'past_due' }));
    await service.receive(event(UPDATED, after(10), { status: 'unpaid' }));
    await service.receive(event(UPDATED, after(30), { status: 'past_due' }));
    await service.receive(event(UPDATED, after(25), { status: 'active' }));
    expect(await list()).toMatchObject([{ status: 'past_due' }]);
    expect((await said()).map(({ data }) => [data['version'], data['status']])).toEqual([
      [1, 'active'],
      [2, 'past_due'],
    ]);
  });

  it('never comes back once it is canceled or its first payment has expired', async () => {
    for (const [type, status] of [
      [DELETED, 'canceled'],
      [UPDATED, 'incomplete_expired'],
    ] as const) {
      const { event, list } = await aProject();
      await service.receive(event(type, after(10), { status, endedAt: after(10) }));
      await service.receive(event(UPDATED, after(99), { status: 'active' }));
      expect(await list()).toMatchObject([{ status }]);
    }
  });

  it('takes a deletion for an end, whatever status it names', async () => {
    const { event, list } = await aProject();
    await service.receive(event(CREATED, after(0)));
    await service.receive(event(DELETED, after(10), { status: 'active' }));
    expect(await list()).toMatchObject([{ status: 'canceled' }]);
  });

  it('keeps the last known status when the processor names one that is not known', async () => {
    const { event, list } = await aProject();
    await service.receive(event(CREATED, after(0)));
    await service.receive(event(UPDATED, after(10), { status: 'hibernating', quantity: 7 }));
    expect(await list()).toMatchObject([{ status: 'active', quantity: 7 }]);
  });

  it('is done once however often an event is delivered, and settles each event', async () => {
    const { event, said } = await aProject();
    const created = event(CREATED, after(0));
    await service.receive(created);
    await service.receive(created);
    await service.receive(deliveredAgain(created));
    expect(await said()).toHaveLength(1);
    const { eventId } = created.data as { eventId: string }; // an event of the processor has one
    const settled = completionsIn(await service.said(ProcessorEventCompleted)).filter(one => one.eventId === eventId);
    expect(settled[0]).toMatchObject({ outcome: 'processed', error: null });
  });

  it('is made once by events that come at the same moment', async () => {
    const { event, list, said } = await aProject();
    const kinds = [CREATED, UPDATED, UPDATED, DELETED] as const;
    const events = kinds.map((type, index) => event(type, after(index), type === DELETED ? { endedAt: after(3) } : {}));
    await Promise.all(events.map(one => service.receive(one)));
    expect(await list()).toMatchObject([{ status: 'canceled' }]);
    const types = (await said()).map(({ type }) => type);
    expect(types.filter(type => type === SubscriptionCreated.name)).toHaveLength(1);
    expect(types.at(-1)).toBe(SubscriptionCanceled.name);
  });

  it('fails an object that has no known shape at once, and says why', async () => {
    const { scope } = await aProject();
    const broken = processorFact(scope, CREATED, { id: 'sub_broken' });
    await service.receive(broken);
    const settled = completionsIn(await service.said(ProcessorEventCompleted));
    expect(settled.at(-1)).toMatchObject({ outcome: 'failed', attempts: 1 });
  });
});

describe('whose a subscription is', () => {
  it('is asked of the customers service while our own copy has not come', async () => {
    const { scope, base, list } = await aProject();
    const late = await service.createCustomer(scope);
    const object = subscriptionObject({ ...base, customer: late.processorCustomerId });
    await service.receive(processorFact(scope, CREATED, object));
    expect(await list()).toMatchObject([{ customerId: late.id }]);
  });

  it('is tried again until the customer is known', async () => {
    const { scope, base, list } = await aProject();
    const object = subscriptionObject({ ...base, customer: 'cus_later' });
    const event = processorFact(scope, CREATED, object);
    const mirror = service.consumers.find(one => one.durable === 'subscriptions-mirror');
    expect(await mirror?.receive(event, 1)).toMatchObject({ kind: 'again' });
    const customer = await service.createCustomer(scope, 'cus_later');
    expect(await mirror?.receive(event, 2)).toEqual({ kind: 'done' });
    expect(await list()).toMatchObject([{ customerId: customer.id }]);
  });

  it('is never a customer of another project, whatever the metadata says', async () => {
    const one = await aProject();
    const other = await aProject();
    const metadata = { customerId: other.customer.id };
    await service.receive(one.event(CREATED, after(0), { metadata }));
    expect(await one.list()).toMatchObject([{ customerId: one.customer.id }]);
    expect(await other.list()).toEqual([]);
  });

  it('is the live one of two customers that share the processor’s', async () => {
    const { scope, customer, event, list } = await aProject();
    const gone = { ...customer, version: 2, deletedAt: new Date() };
    await service.receive(service.tell(CustomerDeleted, gone, scope));
    const again = await service.createCustomer(scope, customer.processorCustomerId);
    await service.receive(service.tell(CustomerCreated, again, scope));
    await service.receive(event(CREATED, after(0)));
    expect(await list()).toMatchObject([{ customerId: again.id }]);
  });
});

describe('a deleted customer', () => {
  const deletion = (scope: ProjectScope, { processorCustomerId }: CustomerState) =>
    processorFact(
      scope,
      'customer.deleted',
      { id: processorCustomerId, object: 'customer', deleted: true },
      { createdAt: after(50) },
    );

  it('takes the subscriptions along when the processor deleted it, in either order', async () => {
    for (const order of ['customer first', 'subscription first'] as const) {
      const { scope, customer, event, list, said } = await aProject();
      await service.receive(event(CREATED, after(0)));
      const ended = event(DELETED, after(50), { status: 'canceled', endedAt: after(50) });
      const events = [deletion(scope, customer), ended];
      for (const one of order === 'customer first' ? events : events.toReversed()) await service.receive(one);
      expect(await list()).toMatchObject([{ status: 'canceled' }]);
      expect((await said()).filter(({ type }) => type === SubscriptionCanceled.name)).toHaveLength(1);
    }
  });

  it('keeps its subscriptions when it was only removed here, for the processor goes on billing', async () => {
    const { scope, customer, event, list } = await aProject();
    await service.receive(event(CREATED, after(0)));
    await service.receive(service.tell(CustomerDeleted, { ...customer, version: 2, deletedAt: new Date() }, scope));
    await service.receive(event(UPDATED, after(9), { status: 'past_due' }));
    expect(await list()).toMatchObject([{ status: 'past_due', customerId: customer.id }]);
  });
});

describe('the list of subscriptions', () => {
  it('shows active and trialing ones unless told otherwise, newest first, page by page', async () => {
    const { scope, base, list, customer } = await aProject();
    const statuses = ['active', 'trialing', 'past_due', 'canceled', 'active'];
    for (const [index, status] of statuses.entries()) {
      const payload = { ...base, id: `${base.id}_${index}`, status, createdAt: after(index) };
      await service.receive(processorFact(scope, CREATED, subscriptionObject(payload)));
    }
    expect((await list('')).map(one => one['status'])).toEqual(['active', 'trialing', 'active']);
    expect(await list('')).toMatchObject([4, 1, 0].map(one => ({ processorSubscriptionId: `${base.id}_${one}` })));
    const { body } = await service.call('GET', '/subscriptions?activeOnly=false&limit=2&offset=1', { of: scope });
    expect(body.subscriptions).toHaveLength(2);
    expect(body.pagination).toEqual({ limit: 2, offset: 1, total: 5, hasMore: true });
    expect(await list(`?customerId=${customer.id}`)).toHaveLength(3);
    expect(await list(`?customerId=${(await aProject()).customer.id}`)).toEqual([]);
  });

  it('hides what belongs to another project, word for word like what never was', async () => {
    const { event, list } = await aProject();
    const other = await aProject();
    await service.receive(event(CREATED, after(0)));
    const id = String((await list())[0]?.['id']);
    const answers = await Promise.all(
      [id, `ps_${'0'.repeat(24)}`].map(one =>
        service.call('GET', `/subscriptions/${one}`, { of: other.scope, headers: { 'x-request-id': 'same' } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(answers[0]?.body.error.code).toBe('subscription_not_found');
  });

  it.each(['?activeOnly=1', '?limit=0', '?offset=-1', '?customerId=x', '?other=1'])('refuses %s', async query => {
    expect((await service.call('GET', `/subscriptions${query}`)).status).toBe(400);
  });
});
