import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PriceCreated } from '@billing/contracts/events/catalog';
import type { PublicEventContent } from '@billing/contracts/events/public-data';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { startTestService } from '@billing/service/testing/start-test-service';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import {
  after,
  anInvoice,
  invoiceObject,
  subscriptionObject,
  type InvoicePayload,
  type SubscriptionPayload,
} from './payloads.ts';
import { subscriptionsService } from '../src/service.ts';
import { startService, type Service } from './service.ts';
import { startPayment, subscribe } from './start-payment.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Story = Awaited<ReturnType<typeof startStory>>;

/** A project with a subscription on trial, and the events of that, of its invoices and of its payment. */
async function startStory() {
  const project = await startPayment(service);
  const { scope, customer, base, event: payment } = project;
  const { price } = await service.createPrice({}, scope);
  const onTrial = { ...base, status: 'trialing', trialEnd: after(90), priceId: price.processorPriceId };
  return {
    ...project,
    price,
    payment,
    subscription: (type: ProcessorEventType, second: number, changes: Partial<SubscriptionPayload> = {}) =>
      routedEvent(scope, type, subscriptionObject({ ...onTrial, ...changes }), { createdAt: after(second) }),
    invoice: (type: ProcessorEventType, second: number, changes: Partial<InvoicePayload> = {}, link: object = {}) => {
      const payload = anInvoice({ customer: customer.processorCustomerId, subscription: base.id, ...changes });
      return routedEvent(scope, type, { ...invoiceObject(payload), ...link }, { createdAt: after(second) });
    },
  };
}

/** What GET shows of the project, by id, but for who was billed, which no event tells. */
async function shownIn({ subscriptions, invoices, payments }: Story): Promise<Map<unknown, object>> {
  const all = [await subscriptions(), await invoices(), await payments()].flat();
  return new Map(
    all.map(({ customerTaxIds: _taxIds, purchaseOrder: _order, ...resource }) => [resource['id'], resource]),
  );
}

/** Without the fields that are null, and the time of the change. */
const comparable = (resource: PublicEventContent['data'] = {}) =>
  Object.fromEntries(Object.entries(resource).filter(([name, value]) => value !== null && name !== 'updatedAt'));

/** Expects the changes of each resource to follow each other without gaps, and to end with what GET shows. */
async function expectTold(story: Story): Promise<void> {
  const changes = Map.groupBy(await story.publicEvents(), ({ object }) => object.id);
  for (const ofOne of changes.values()) {
    expect(ofOne.map(({ object }) => object.sequence)).toEqual(ofOne.map((_, index) => index + 1));
    const before = ofOne.map(
      ({ data, previousAttributes }) => previousAttributes && comparable({ ...data, ...previousAttributes }),
    );
    expect(before).toEqual([null, ...ofOne.slice(0, -1).map(({ data }) => comparable(data))]);
  }
  const shown = await shownIn(story);
  expect([...shown.keys()].map(id => changes.get(String(id))?.at(-1)?.data)).toEqual([...shown.values()]);
}

it('tells of every change once and in order, with what GET shows then, however events come', async () => {
  const eventsOf = ({ scope, price, subscription, invoice, payment }: Story) => {
    const ended = { status: 'canceled', endedAt: after(6) };
    const draft = { id: 'in_2', status: 'draft' };
    const paid = { status: 'paid', amountPaid: 2_999 };
    const listed = { object: 'list', data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1' } }] };
    const settled = { id: 'inpay_1', invoice: 'in_1', payment: { type: 'payment_intent', payment_intent: 'pi_1' } };
    return [
      newEvent(PriceCreated, scope.teamId, price),
      subscription('customer.subscription.created', 1),
      subscription('customer.subscription.trial_will_end', 2),
      subscription('customer.subscription.updated', 3, { quantity: 2 }),
      subscription('customer.subscription.updated', 4, { quantity: 2, status: 'active' }),
      subscription('customer.subscription.deleted', 6, { quantity: 2, ...ended }),
      invoice('invoice.updated', 1, draft),
      routedEvent(scope, 'invoice.deleted', { id: 'in_2', object: 'invoice', deleted: true }, { createdAt: after(2) }),
      invoice('invoice.finalized', 2),
      invoice('invoice.paid', 4, paid),
      invoice('invoice.updated', 5, paid, { payments: listed }),
      routedEvent(scope, 'invoice_payment.paid', { object: 'invoice_payment', ...settled }, { createdAt: after(4) }),
      payment('payment_intent.payment_failed', after(2)),
      payment('charge.failed', after(2), { id: 'ch_0', status: 'failed', failure_code: 'card_declined' }),
      payment('payment_intent.succeeded', after(4)),
      payment('charge.succeeded', after(4), { invoice: 'in_1' }),
      payment('charge.refunded', after(5), { amount_refunded: 1_000 }),
      payment('refund.created', after(5)),
      payment('charge.dispute.created', after(6)),
      payment('charge.dispute.closed', after(7), { status: 'won' }),
      payment('refund.failed', after(8), { status: 'failed' }),
    ];
  };
  const COUNT = 21;
  const scenario = fc.array(fc.nat(COUNT - 1), { maxLength: 5 }).chain(repeated => {
    const all = [...Array(COUNT).keys(), ...repeated];
    return fc.record({
      order: fc.shuffledSubarray(all, { minLength: all.length }),
      sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: all.length, maxLength: all.length }),
      // Which of two copies of the service handles each event.
      copies: fc.array(fc.nat(1), { minLength: all.length, maxLength: all.length }),
    });
  });
  await using copy = await startTestService(subscriptionsService(), { besides: service });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ order, sizes, copies }) => {
      const story = await startStory();
      const events = eventsOf(story);
      expect(events).toHaveLength(COUNT);
      for (let rest = order, turn = 0; rest.length > 0; turn += 1) {
        const batch = rest.slice(0, sizes[turn]);
        rest = rest.slice(batch.length);
        const handledBy = (which: number) =>
          batch.flatMap((place, index) => (copies[index] === which ? (events[place] ?? []) : [])).map(deliveredAgain);
        await Promise.all([service.deliver(...handledBy(0)), copy.deliver(...handledBy(1))]);
        await expectTold(story);
      }
    }),
    { numRuns: runs(16) },
  );
});

/** The types of events for tenants, by kind of object. */
const typesIn = async ({ publicEvents }: Pick<Story, 'publicEvents'>, object: PublicEventContent['object']['type']) =>
  (await publicEvents()).filter(change => change.object.type === object).map(({ type }) => type.replace(/^.*[.]/, ''));

it('names each change by its kind and cause', async () => {
  const story = await startStory();
  const { subscription, invoice, payment } = story;
  const paid = { status: 'paid', amountPaid: 2_999 };
  const trialEnding = subscription('customer.subscription.trial_will_end', 2);
  await service.deliver(subscription('customer.subscription.created', 1));
  await service.deliver(trialEnding);
  await service.deliver(deliveredAgain(trialEnding));
  await service.deliver(subscription('customer.subscription.updated', 3, { status: 'active' }));
  await service.deliver(subscription('customer.subscription.trial_will_end', 2));
  await service.deliver(subscription('customer.subscription.deleted', 4, { status: 'canceled', endedAt: after(4) }));
  expect(await typesIn(story, 'subscription')).toEqual(['created', 'trial_ending', 'updated', 'canceled']);

  await service.deliver(invoice('invoice.paid', 4, paid));
  await service.deliver(invoice('invoice.finalized', 2), invoice('invoice.updated', 5, paid));
  expect(await typesIn(story, 'invoice')).toEqual(['created', 'paid']);
  const [created, settled] = (await story.publicEvents()).filter(({ object }) => object.type === 'invoice');
  expect(created).toMatchObject({ object: { sequence: 1 }, previousAttributes: null, data: { status: 'paid' } });
  expect(settled).toMatchObject({ object: { sequence: 2 }, previousAttributes: {}, data: created?.data });
  for (const [id, status, second] of [
    ['in_3', 'draft', 1],
    ['in_3', 'open', 2],
    ['in_3', 'void', 3],
  ] as const)
    await service.deliver(invoice('invoice.updated', second, { id, status }));
  expect((await typesIn(story, 'invoice')).slice(2)).toEqual(['created', 'finalized', 'voided']);

  await service.deliver(payment('payment_intent.payment_failed', after(1)));
  await service.deliver(payment('payment_intent.succeeded', after(2)));
  await service.deliver(payment('charge.succeeded', after(2)));
  await service.deliver(payment('charge.refunded', after(3), { amount_refunded: 1_000 }));
  await service.deliver(payment('refund.failed', after(4), { status: 'failed' }));
  await service.deliver(payment('charge.dispute.created', after(5)));
  await service.deliver(payment('charge.dispute.closed', after(6), { status: 'won' }));
  await service.deliver(payment('charge.dispute.created', after(7), { id: 'du_2' }));
  await service.deliver(payment('charge.dispute.closed', after(8), { id: 'du_2', status: 'lost' }));
  const types = ['failed', 'succeeded', 'updated', 'refunded', 'updated', 'disputed', 'dispute_won', 'disputed'];
  expect(await typesIn(story, 'payment')).toEqual([...types, 'dispute_lost']);
  expect(new Set((await story.publicEvents()).map(({ cause }) => cause.type))).toEqual(new Set(['processor']));
  await expectTold(story);
});

it('tells why something changed: an event, a request, an import, or what another change brings', async () => {
  const story = await startStory();
  const { scope, price, subscription, payment } = story;
  await service.deliver(...(await subscribe(service, story))('customer.subscription.created'));
  const [bought] = await story.subscriptions();
  const path = `/subscriptions/${String(bought?.['id'])}`;
  await service.call('PATCH', path, { of: scope, body: { cancelAtPeriodEnd: true } });
  // The event about it changes nothing.
  await service.deliver(...(await service.account.events(scope, 'customer.subscription.updated')).slice(-1));
  const changes = await story.publicEvents();
  expect(changes.map(({ cause }) => cause.type)).toEqual(['processor', 'api']);
  expect(changes.map(({ cause }) => cause)).toMatchObject([
    { requestId: null, processorEventId: expect.stringMatching(/^evt_/) },
    { requestId: expect.any(String), processorEventId: null },
  ]);

  const read = subscription('customer.subscription.updated', 1);
  await service.deliver({ ...read, data: { ...Object(read.data), fromSync: true } });
  await service.deliver(newEvent(PriceCreated, scope.teamId, price));
  await service.deliver(payment('charge.succeeded', after(2)));
  expect((await story.publicEvents()).slice(2).map(({ type, cause }) => [type, cause.type])).toEqual([
    ['subscription.created', 'sync'],
    ['subscription.updated', 'system'],
    ['payment.succeeded', 'processor'],
  ]);
});
