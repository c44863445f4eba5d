import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHOWN_BY, SubscriptionCanceled, SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Cancellation } from '@billing/contracts/resources/cancellation';
import { processorEvent } from '@billing/contracts/processor-events';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { routedEvent } from '@billing/testing/processor-events';
import { objectOf, OWNED_TYPES, startService, type Service } from './service.ts';
import { startProject, type Project } from './start-project.ts';

/** What may happen to a subscription at the processor after its first payment. */
type Step =
  | 'schedule'
  | 'resume'
  | 'renew'
  | 'decline'
  | 'collect'
  | 'giveUp'
  | 'hold'
  | 'authenticate'
  | 'pay'
  | 'void';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** What the processor has at the end, and the events of the way there, oldest first. */
interface History {
  readonly processorCustomerId: string;
  readonly subscription: SubscriptionSnapshot;
  readonly invoices: readonly InvoiceSnapshot[];
  readonly events: readonly Envelope[];
}

const TYPES_BY_NAME = new Map(OWNED_TYPES.map(type => [processorEvent(type).name, type]));

async function createHistory(steps: readonly Step[], ends: boolean): Promise<History> {
  const { processor, control } = service;
  const { processorCustomerId: customerId } = await service.createCustomer();
  const { price } = await service.createPrice();
  const key = `${customerId}-`;
  const lines = [{ priceId: price.processorPriceId, quantity: 2 }];
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const session = { mode: 'subscription', customerId, lines, ...urls, metadata: { plan: 'gold' } } as const;
  await control.checkout((await processor.createCheckoutSession(session, key)).id);
  const [created] = await processor.listSubscriptions(customerId);
  if (!created) throw new Error('The checkout created no subscription.');
  const { id } = created;
  for (const [index, step] of steps.entries()) {
    if (step === 'schedule') await processor.setCancelAtPeriodEnd(id, true, key + index, detailsOf(`${index}`));
    if (step === 'resume') await processor.setCancelAtPeriodEnd(id, false, key + index);
    if (step === 'renew') await control.renew(id);
    if (step === 'decline') await control.renew(id, 'decline');
    if (step === 'collect') await control.collect(id);
    if (step === 'giveUp') await control.giveUp(id);
    if (isOfPendingChange(step)) await changePending(id, step, key + index);
  }
  if (ends) await processor.cancelSubscription(id, `${key}cancel`, detailsOf('the end'));
  const events = (await service.account.events(service.scope, ...OWNED_TYPES)).filter(
    event => objectOf(event)['customer'] === customerId,
  );
  const invoiceIds = new Set(
    events.filter(({ type }) => type.startsWith('processor.invoice.')).map(event => String(objectOf(event)['id'])),
  );
  const invoices = await Promise.all([...invoiceIds].map(invoiceId => processor.findInvoice(invoiceId)));
  return { processorCustomerId: customerId, subscription: await processor.findSubscription(id), invoices, events };
}

const detailsOf = (comment: string): Cancellation => ({ reason: 'other', comment });

type PendingStep = Extract<Step, 'hold' | 'authenticate' | 'pay' | 'void'>;
const isOfPendingChange = (step: Step): step is PendingStep => ['hold', 'authenticate', 'pay', 'void'].includes(step);

/** Makes a change that is not paid, has its payment wait for the customer, pays it, or voids its invoice. */
async function changePending(id: string, step: PendingStep, key: string): Promise<void> {
  const { processor, control } = service;
  const { items, defaultPaymentMethodId: cardId, latestInvoiceId: invoiceId } = await processor.findSubscription(id);
  const [item] = items;
  if (!item || cardId === null || invoiceId === null) throw new Error(`The subscription ${id} is not complete.`);
  if (step === 'authenticate') await control.setCardAuthenticates(cardId, true);
  else await control.setCardDeclines(cardId, step === 'hold');
  if (step === 'void') await processor.voidInvoice(invoiceId, key);
  else if (step !== 'hold') await processor.payInvoice(invoiceId, key).catch(() => undefined);
  if (step !== 'hold') return;
  const changed = { id: item.id, priceId: item.price.id, quantity: item.quantity + 1 };
  const terms = { proration: 'always_invoice', paymentBehavior: 'pending_if_incomplete' } as const;
  await processor.changeSubscription(id, { items: [changed], ...terms }, key);
}

/** The event as it is routed to a project, as if it had happened at another time. */
function routedTo(scope: ProjectScope, event: Envelope, createdAt: Date): Envelope {
  const type = TYPES_BY_NAME.get(event.type);
  if (!type) throw new Error(`${event.type} is an event of another service.`);
  const { eventId } = event.data as { eventId: string }; // every routed event has one
  return routedEvent(scope, type, objectOf(event), { eventId, createdAt });
}

describe('real events, delivered in any order and repeatedly', () => {
  it('lead to the state that the processor has, and to consistent published events', async () => {
    const histories = [
      await createHistory(['schedule', 'resume', 'schedule'], false),
      await createHistory(['renew', 'decline', 'collect', 'schedule'], false),
      await createHistory(['decline', 'schedule', 'resume', 'renew'], true),
      await createHistory(['decline', 'giveUp'], false),
      await createHistory(['hold', 'authenticate'], false),
      await createHistory(['hold', 'void', 'hold', 'authenticate', 'pay'], false),
    ];
    // By index, so that a counterexample stays readable.
    const scenario = fc
      .record({
        index: fc.nat(histories.length - 1),
        // Seconds between events: mostly none, since the processor sends many events within one second.
        pauses: fc.array(fc.constantFrom<number>(0, 0, 0, 1, 90), { minLength: 40, maxLength: 40 }),
        repeated: fc.array(fc.nat(39), { maxLength: 6 }),
        isBatch: fc.boolean(),
      })
      .chain(({ index, repeated, pauses, isBatch }) => {
        const { length } = histories[index]?.events ?? [];
        const all = [...Array(length).keys(), ...repeated.map(one => one % length)];
        return fc.record({
          index: fc.constant(index),
          order: fc.shuffledSubarray(all, { minLength: all.length }),
          pauses: fc.constant(pauses),
          isBatch: fc.constant(isBatch),
        });
      });

    await fc.assert(
      fc.asyncProperty(scenario, async ({ index, order, pauses, isBatch }) => {
        const history = histories[index];
        if (!history) throw new Error(`There is no history ${index}.`);
        const project = await startProject(service, { processorCustomerId: history.processorCustomerId });
        const start = Date.now();
        const times = history.events.map(
          (_, place) => new Date(start + pauses.slice(0, place).reduce((sum, pause) => sum + pause, 0) * 1_000),
        );
        const deliveries = order.flatMap(place => {
          const event = history.events[place];
          return event ? [routedTo(project.scope, event, times[place] ?? new Date())] : [];
        });
        if (isBatch) await service.deliver(...deliveries);
        else for (const event of deliveries) await service.deliver(event);
        await expectState(project, history);
        expect((await shownIn(project)).toSorted()).toEqual([...new Set(deliveries.flatMap(shownBy))].toSorted());
      }),
      { numRuns: runs(25) },
    );
  });

  it('lead to the same state when all of them share one second and one batch', async () => {
    const history = await createHistory(['schedule', 'resume', 'schedule'], true);
    const project = await startProject(service, { processorCustomerId: history.processorCustomerId });
    const now = new Date();
    const { events } = history;
    await service.deliver(...[...events, ...events].map(event => routedTo(project.scope, event, now)));
    await expectState(project, history);
  });
});

describe('failing payments', () => {
  it('are the same by events in any order, by a sync, and by both', async () => {
    const histories = [
      await createHistory(['decline', 'pay', 'decline', 'void', 'decline', 'collect', 'decline'], false),
      await createHistory(['renew', 'hold', 'void', 'decline'], true),
      await createHistory(['hold', 'pay'], false),
    ];
    const statuses = [['lost', 'recovered', 'recovered', 'recovering'], ['lost'], []];
    const reads = await Promise.all(histories.map(readObjects));
    const scenario = fc.record({
      index: fc.nat(histories.length - 1),
      source: fc.constantFrom('events', 'sync', 'both'),
      order: fc.infiniteStream(fc.nat()),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ index, source, order }) => {
        const history = histories[index];
        if (!history) throw new Error(`There is no history ${index}.`);
        const project = await startProject(service, { processorCustomerId: history.processorCustomerId });
        const events = history.events.map(event => routedTo(project.scope, event, createdAtOf(event)));
        const synced = (reads[index] ?? []).map(([type, object]) => routedEvent(project.scope, type, object));
        const given = [...(source === 'sync' ? [] : [...events, ...events]), ...(source === 'events' ? [] : synced)];
        const places = new Map(given.map(event => [event, order.next().value ?? 0]));
        const shuffled = given.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
        for (const event of shuffled) await service.deliver({ ...event, id: crypto.randomUUID() });
        const cases = await casesOf(project);
        expect(cases.map(({ status }) => String(status)).toSorted()).toEqual(statuses[index]);
        expect(cases).toEqual(expectedCases(history));
      }),
      { numRuns: runs(20) },
    );
  });
});

/** What a sync would read of a history, each as the event in whose place it is handled. */
async function readObjects({ processorCustomerId, subscription, invoices }: History) {
  const { processor, account } = service;
  const charges = await account.dashboard.charges.list({ customer: processorCustomerId, limit: 100 });
  const wanted = [
    ['customer.subscription.updated', 'subscription', subscription.id] as const,
    ...invoices.map(({ id }) => ['invoice.updated', 'invoice', id] as const),
    ...charges.data.map(({ id }) => ['charge.updated', 'payment', id] as const),
  ];
  return Promise.all(
    wanted.map(async ([type, kind, id]) => [type, (await processor.findListed(kind, id)).object ?? {}] as const),
  );
}

const createdAtOf = (event: Envelope): Date => new Date((event.data as { createdAt: string }).createdAt); // every routed event has one

async function casesOf(project: Project) {
  const { body } = await service.call('GET', '/dunning', { of: project.scope });
  const cases = body.cases as readonly Record<string, unknown>[]; // the response has passed the operation's schema
  return cases
    .map(({ status, attempts, failedAt, endedAt, lastFailure, hostedInvoiceUrl }) => {
      return { status, attempts, failedAt, endedAt, lastFailure, hostedInvoiceUrl };
    })
    .toSorted(byUrl);
}

const byUrl = (a: { hostedInvoiceUrl: unknown }, b: { hostedInvoiceUrl: unknown }) =>
  String(a.hostedInvoiceUrl) < String(b.hostedInvoiceUrl) ? -1 : 1;

/** The renewals of which a payment failed. */
function expectedCases({ subscription, invoices, events }: History) {
  const failed = new Set(
    events
      .filter(({ type }) => type === processorEvent('invoice.payment_failed').name)
      .map(event => objectOf(event)['id']),
  );
  const endedAt = subscription.endedAt?.toISOString() ?? null;
  return invoices
    .filter(({ id, billingReason }) => failed.has(id) && billingReason === 'subscription_cycle')
    .map(({ status, attempts, finalizedAt, paidAt, givenUpAt, hostedInvoiceUrl }) => ({
      ...(status === 'paid'
        ? { status: 'recovered', endedAt: paidAt?.toISOString() }
        : status === 'void' || endedAt !== null
          ? { status: 'lost', endedAt: givenUpAt?.toISOString() ?? endedAt }
          : { status: 'recovering', endedAt: null }),
      attempts,
      failedAt: finalizedAt?.toISOString(),
      lastFailure: { code: 'card_declined', message: 'Your card was declined.' },
      hostedInvoiceUrl,
    }))
    .toSorted(byUrl);
}

/** A customer who says nothing, or whose payment failed, has an object without reason and comment at the processor. */
const whatIsSaid = ({ cancellation }: SubscriptionSnapshot): Cancellation | null =>
  cancellation?.reason || cancellation?.comment ? cancellation : null;

async function expectState(project: Project, { subscription, invoices }: History): Promise<void> {
  const { status } = subscription;
  const recorded = await project.subscriptions();
  expect(recorded).toMatchObject([
    {
      processorSubscriptionId: subscription.id,
      status,
      // An end before the period's end is no end of the period.
      cancelAtPeriodEnd: status === 'canceled' ? false : subscription.cancelAtPeriodEnd,
      cancellation: subscription.cancelAtPeriodEnd || status === 'canceled' ? whatIsSaid(subscription) : null,
      quantity: subscription.items[0]?.quantity,
      pendingChange: pendingChangeOf(subscription),
      currentPeriodStart: subscription.currentPeriodStart.toISOString(),
      currentPeriodEnd: subscription.currentPeriodEnd.toISOString(),
      metadata: { plan: 'gold' },
    },
  ]);

  expect(invoices.length).toBeGreaterThan(0);
  const byId = new Map((await project.invoices()).map(invoice => [invoice['processorInvoiceId'], invoice]));
  expect(byId.size).toBe(invoices.length);
  for (const { id, status: invoiceStatus, number, amountPaid, amountRemaining } of invoices)
    expect(byId.get(id)).toMatchObject({
      subscriptionId: recorded[0]?.['id'],
      status: invoiceStatus,
      number,
      amountPaid,
      amountRemaining,
    });

  const published = await project.published();
  const versions = published.map(({ data }) => data.version);
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  expect(published.map(({ type }) => type === SubscriptionCreated.name)).toEqual(
    versions.map((_, index) => index === 0),
  );
  expect(published.filter(isEnd)).toHaveLength(status === 'canceled' ? 1 : 0);
  const { endedAt, involuntary } = subscription;
  expect(published.at(-1)?.data).toMatchObject({ status, endedAt, involuntary });
}

/** Whether an event is the one of the end: a subscription that is recorded once it has ended has the event of its creation alone. */
const isEnd = ({ type, data }: Awaited<ReturnType<Project['published']>>[number]) =>
  type === SubscriptionCanceled.name || (type === SubscriptionCreated.name && data.status === 'canceled');

const pendingChangeOf = ({ pendingUpdate }: SubscriptionSnapshot) =>
  pendingUpdate && {
    id: expect.stringMatching(/^chg_/),
    items: pendingUpdate.items.map(({ priceId, quantity }) => ({ priceId: null, processorPriceId: priceId, quantity })),
    ...pendingUpdate.payment,
    expiresAt: pendingUpdate.expiresAt.toISOString(),
  };

/** What was published as shown of a project's subscription: each time with how it was shown, the status and the quantity. */
const shownIn = async (project: Project): Promise<string[]> =>
  (await project.published()).flatMap(({ data }) =>
    data.shown.map(({ at, by, status, items }) => `${at.getTime()} ${by} ${status} ${items[0]?.quantity}`),
  );

/** What an event shows of its subscription; nothing if the subscription has ended, or another object's. */
function shownBy(event: Envelope): string[] {
  const { status, items } = objectOf(event);
  if (!event.type.startsWith('processor.customer.subscription.') || status === 'canceled') return [];
  const by = event.type === processorEvent('customer.subscription.created').name ? SHOWN_BY.created : SHOWN_BY.updated;
  const { createdAt } = event.data as { createdAt: string }; // every routed event has one
  const { data } = items as { data: { quantity: number }[] }; // of every subscription
  return [`${Date.parse(createdAt)} ${by} ${String(status)} ${data[0]?.quantity}`];
}
