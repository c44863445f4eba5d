import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService } from '@billing/service/testing/start-test-service';
import { PriceCreated } from '@billing/contracts/events/catalog';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { subscriptionsService } from '../src/service.ts';
import {
  after,
  anInvoice,
  aSubscription,
  invoiceObject,
  subscriptionObject,
  type SubscriptionPayload,
} from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject, type Project } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const UPDATES = 4;
const LENGTH = UPDATES + 2;

/** Events of one subscription: created, updated four times to 2, 3, 4 and 5 seats, deleted. */
function eventsOf(
  { scope, customer }: Project,
  id: string,
  all: Partial<SubscriptionPayload> = {},
): [created: Envelope, ...Envelope[]] {
  const event = (type: ProcessorEventType, second: number, changes: Partial<SubscriptionPayload>) => {
    const payload = aSubscription({ id, customer: customer.processorCustomerId, ...all, ...changes });
    return routedEvent(scope, type, subscriptionObject(payload), { createdAt: after(second) });
  };
  return [
    event('customer.subscription.created', 0, {}),
    ...Array.from({ length: UPDATES }, (_, index) =>
      event('customer.subscription.updated', index + 1, { quantity: index + 2 }),
    ),
    event('customer.subscription.deleted', UPDATES + 1, {
      quantity: UPDATES + 1,
      status: 'canceled',
      endedAt: after(UPDATES + 1),
    }),
  ];
}

describe('a batch of subscription events', () => {
  it('leads to what the newest events show, and completes each event once', async () => {
    const ids = ['sub_a', 'sub_b', 'sub_c'];
    const order = fc.shuffledSubarray(
      ids.flatMap((_, sub) => Array.from({ length: LENGTH }, (_event, event) => ({ sub, event }))),
      { minLength: ids.length * LENGTH },
    );
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.constantFrom('nothing', 'customer', 'subscriptions'),
        fc.nat({ max: 2 }),
        async (places, recorded, running) => {
          const project = await startProject(service, { hasCopy: recorded === 'customer' });
          const histories = ids.map((id, index) => {
            const events = eventsOf(project, id);
            return index < running ? events.slice(0, -1) : events;
          });
          if (recorded === 'subscriptions')
            for (const [created] of histories) if (created) await service.deliver(created);
          const events = places.flatMap(({ sub, event }) => histories[sub]?.[event] ?? []);
          await service.deliver(...events, ...events);

          const subscriptions = await project.subscriptions();
          expect(subscriptions).toHaveLength(ids.length);
          for (const [index, id] of ids.entries())
            expect(subscriptions.find(one => one['processorSubscriptionId'] === id)).toMatchObject({
              status: index < running ? 'active' : 'canceled',
              quantity: UPDATES + 1,
            });
          const outcomes = (await project.completions()).map(({ outcome }) => outcome);
          expect(outcomes).toEqual(histories.flat().map(() => 'processed'));
          await expectConsistent(project, ids.length - running);
        },
      ),
      { numRuns: runs(12) },
    );
  });

  it('creates its subscriptions in one transaction, and links earlier invoices', async () => {
    const project = await startProject(service);
    const { scope, customer } = project;
    const ids = Array.from({ length: 20 }, (_, index) => `sub_f${index}`);
    const invoice = anInvoice({ id: 'in_f', customer: customer.processorCustomerId, subscription: 'sub_f7' });
    await service.deliver(routedEvent(scope, 'invoice.paid', invoiceObject(invoice)));
    const withoutCopy = await service.createCustomer(scope);
    const [unprepared] = eventsOf({ ...project, customer: withoutCopy }, 'sub_g');
    await service.deliver(unprepared, ...ids.map(id => eventsOf(project, id)[0]));

    // Only the database knows which transaction wrote a row.
    const transactions = await service.em
      .fork()
      .execute<{ rows: number }[]>(
        'select count(*)::int as rows from subscriptions where project_id = ? group by xmin order by 1',
        [scope.projectId],
      );
    expect(transactions.map(({ rows }) => rows)).toEqual([1, ids.length]);
    await expectConsistent(project, 0);
    const linked = (await project.subscriptions('?limit=100')).find(one => one['processorSubscriptionId'] === 'sub_f7');
    expect(await project.invoices()).toMatchObject([{ processorInvoiceId: 'in_f', subscriptionId: linked?.['id'] }]);
  });

  it('publishes one event where several change the same subscription', async () => {
    const project = await startProject(service);
    const [created, ...others] = eventsOf(project, 'sub_d');
    await service.deliver(created);
    await service.deliver(...others.slice(0, -1));
    const published = (await project.published()).filter(({ type }) => type === SubscriptionUpdated.name);
    expect(published.map(({ data }) => [data.version, data.quantity])).toEqual([[2, UPDATES + 1]]);
  });

  it('takes effect although one event is unreadable and another has an unknown status', async () => {
    const project = await startProject(service);
    const ids = Array.from({ length: 20 }, (_, index) => `sub_e${index}`);
    await service.deliver(...ids.map(id => eventsOf(project, id)[0]));
    const updates = ids.flatMap(id => eventsOf(project, id).slice(1, 2));
    const { scope, customer } = project;
    const unreadable = routedEvent(scope, 'customer.subscription.updated', { id: 'sub_e0', items: 'none' });
    const dormant = aSubscription({ id: 'sub_new', customer: customer.processorCustomerId, status: 'dormant' });
    const unknown = routedEvent(scope, 'customer.subscription.updated', subscriptionObject(dormant));
    await service.deliver(...updates.toSpliced(7, 0, unreadable, unknown));
    expect((await project.subscriptions()).map(one => one['quantity'])).toEqual(ids.map(() => 2));
    const completions = await project.completions();
    expect(completions.filter(({ outcome }) => outcome === 'failed')).toHaveLength(2);
    expect(completions).toHaveLength(ids.length * 2 + 2);
  });
});

describe('two copies of the service', () => {
  it('lead to one state when both handle events of the same subscriptions', async () => {
    await using copy = await startTestService(subscriptionsService(), { besides: service });
    const ids = Array.from({ length: 15 }, (_, index) => `sub_h${index}`);
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000)), async numbers => {
        const next = () => Number(numbers.next().value);
        const project = await startProject(service);
        const { scope, customer } = project;
        const { price } = await service.createPrice({}, scope);
        const events = ids.flatMap(id => {
          const payload = { customer: customer.processorCustomerId, subscription: id };
          const invoice = anInvoice({ ...payload, id: `in_${id}`, status: 'paid', amountPaid: 2_999 });
          return [
            ...eventsOf(project, id, { priceId: price.processorPriceId }),
            routedEvent(scope, 'invoice.paid', invoiceObject(invoice)),
          ];
        });
        const shuffled = [...events, newEvent(PriceCreated, scope.teamId, price)]
          .map(event => ({ event, place: next() }))
          .toSorted((a, b) => a.place - b.place);
        const [first = [], second = []] = [0, 1].map(half =>
          shuffled.filter(({ place }) => place % 2 === half).map(({ event }) => event),
        );
        await Promise.all([service.deliver(...first), copy.deliver(...second)]);

        const recorded = await project.subscriptions('?activeOnly=false&limit=100');
        expect(recorded).toHaveLength(ids.length);
        for (const subscription of recorded)
          expect(subscription).toMatchObject({ status: 'canceled', quantity: UPDATES + 1, priceId: price.id });
        const links = new Map(recorded.map(one => [`in_${String(one['processorSubscriptionId'])}`, one['id']]));
        const invoices = await project.invoices('?limit=100');
        expect(invoices).toHaveLength(ids.length);
        for (const invoice of invoices)
          expect(invoice['subscriptionId']).toBe(links.get(String(invoice['processorInvoiceId'])));
        const outcomes = (await project.completions()).map(({ outcome }) => outcome);
        expect(outcomes).toEqual(events.map(() => 'processed'));
        await expectConsistent(project, ids.length);
      }),
      { numRuns: runs(6) },
    );
  });
});

/** Each subscription was published as created once, as canceled once if it was, and in the order of its versions. */
async function expectConsistent(project: Project, canceled: number): Promise<void> {
  const published = await project.published();
  for (const ofOne of Map.groupBy(published, ({ data }) => data.id).values()) {
    const versions = ofOne.map(({ data }) => data.version);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(ofOne.map(({ type }) => type === SubscriptionCreated.name)).toEqual(ofOne.map((_, index) => index === 0));
  }
  const isEnd = ({ type, data }: (typeof published)[number]) =>
    type === SubscriptionCanceled.name || (type === SubscriptionCreated.name && data.status === 'canceled');
  expect(published.filter(isEnd)).toHaveLength(canceled);
}
