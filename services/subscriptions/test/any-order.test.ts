import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated } from '@billing/contracts/events/customers';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import { ProjectId, type ProjectScope } from '@billing/contracts/ids';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { processorFact } from '@billing/testing/processor-events';
import { startService, type Service } from './service.ts';

/** What happens to a subscription at the processor once it is paid for. */
const DEEDS = ['schedule', 'resume', 'renew', 'decline', 'collect'] as const;
type Deed = (typeof DEEDS)[number];

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A true history: what the processor has at the end, and the events by which it told of the way there. */
interface History {
  readonly processorCustomerId: string;
  readonly truth: SubscriptionSnapshot;
  readonly events: readonly Envelope[];
}

async function live(deeds: readonly Deed[], ends: boolean): Promise<History> {
  const { processor, control } = service;
  const { processorCustomerId: customerId } = await service.createCustomer();
  const { price } = await service.createPrice();
  const key = `${customerId}-`;
  const line = { priceId: price.processorPriceId, quantity: 2 };
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const session = { mode: 'subscription', customerId, line, ...urls, metadata: { plan: 'gold' } } as const;
  await control.checkout((await processor.createCheckoutSession(session, key)).id);
  const [{ id } = { id: '' }] = await processor.listSubscriptions(customerId);
  for (const [index, deed] of deeds.entries()) {
    if (deed === 'schedule') await processor.setCancelAtPeriodEnd(id, true, key + index);
    if (deed === 'resume') await processor.setCancelAtPeriodEnd(id, false, key + index);
    if (deed === 'renew') await control.renew(id);
    if (deed === 'decline') await control.renew(id, 'decline');
    if (deed === 'collect') await control.collect(id).catch(() => undefined); // there may be nothing open to collect
  }
  if (ends) await processor.cancelSubscription(id, `${key}cancel`);
  const events = (await service.processorEvents()).filter(event => objectOf(event)['customer'] === customerId);
  return { processorCustomerId: customerId, truth: await processor.findSubscription(id), events };
}

/** A project that has heard of the customer and of nothing else. */
async function aProject(processorCustomerId: string): Promise<ProjectScope> {
  const scope: ProjectScope = { ...service.scope, projectId: ProjectId.create() };
  const customer = await service.createCustomer(scope, processorCustomerId);
  await service.receive(service.tell(CustomerCreated, customer, scope));
  return scope;
}

/** The event for this project, as if the processor had told of it in another second. */
function toldTo(scope: ProjectScope, event: Envelope, createdAt: Date): Envelope {
  const type = event.type.slice('processor.'.length, -'.v1'.length) as Parameters<typeof processorFact>[1]; // it was made of one
  const { eventId } = event.data as { eventId: string }; // an event of the processor has one
  return processorFact(scope, type, objectOf(event), { eventId, createdAt });
}

const objectOf = ({ data }: Envelope) => (data as { object: Record<string, unknown> }).object; // an event of the processor has one

describe('a history of real events, delivered in any order and more than once', () => {
  it('ends as the processor has it, and is told without a contradiction', async () => {
    const histories = [
      await live(['schedule', 'resume', 'schedule'], false),
      await live(['renew', 'decline', 'collect', 'schedule'], false),
      await live(['decline', 'schedule', 'resume', 'renew'], true),
    ];
    const scenario = fc
      .record({
        history: fc.constantFrom(...histories),
        // Seconds between one event and the next: mostly none, as the processor tells many things in one second.
        pauses: fc.array(fc.constantFrom<number>(0, 0, 0, 1, 90), { minLength: 40, maxLength: 40 }),
        repeated: fc.array(fc.nat(39), { maxLength: 6 }),
      })
      .chain(({ history, pauses, repeated }) => {
        const { length } = history.events;
        const all = [...history.events.keys(), ...repeated.map(one => one % length)];
        const order = fc.shuffledSubarray(all, { minLength: all.length });
        return fc.record({ history: fc.constant(history), pauses: fc.constant(pauses), order });
      });

    await fc.assert(
      fc.asyncProperty(scenario, async ({ history, pauses, order }) => {
        const scope = await aProject(history.processorCustomerId);
        const times = history.events.map(
          (_, index) => new Date(Date.now() + pauses.slice(0, index).reduce((sum, pause) => sum + pause, 0) * 1_000),
        );
        for (const index of order) {
          const event = history.events[index];
          if (event && service.consumers.some(one => hears(one.filter, event.type))) {
            await service.receive(toldTo(scope, event, times[index] ?? new Date()));
          }
        }
        await expectTruth(scope, history.truth);
      }),
      { numRuns: 25 },
    );
  }, 180_000);

  it('ends the same when many events are handled at once', async () => {
    const { processorCustomerId, truth, events } = await live(['schedule', 'resume', 'schedule'], true);
    const scope = await aProject(processorCustomerId);
    const heard = events.filter(event => service.consumers.some(one => hears(one.filter, event.type)));
    const now = new Date();
    await Promise.all([...heard, ...heard].map(event => service.receive(toldTo(scope, event, now))));
    await expectTruth(scope, truth);
  });
});

async function expectTruth(scope: ProjectScope, truth: SubscriptionSnapshot): Promise<void> {
  const { body } = await service.call('GET', '/subscriptions?activeOnly=false', { of: scope });
  expect(body.subscriptions).toMatchObject([
    {
      processorSubscriptionId: truth.id,
      status: truth.status,
      cancelAtPeriodEnd: truth.status === 'canceled' ? false : truth.cancelAtPeriodEnd,
      quantity: 2,
      currentPeriodStart: truth.currentPeriodStart.toISOString(),
      currentPeriodEnd: truth.currentPeriodEnd.toISOString(),
      metadata: { plan: 'gold' },
    },
  ]);
  const { body: listed } = await service.call('GET', '/invoices', { of: scope });
  for (const invoice of listed.invoices)
    expect(await service.processor.findInvoice(invoice.processorInvoiceId)).toMatchObject({
      status: invoice.status,
      number: invoice.number,
      amountPaid: invoice.amountPaid,
      amountRemaining: invoice.amountRemaining,
    });
  const said = (await service.said(SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled)).filter(
    ({ data }) => data['projectId'] === scope.projectId,
  );
  expect(said.map(({ data }) => data['version'])).toEqual(said.map((_, index) => index + 1));
  const types = said.map(({ type }) => type);
  expect(types.filter(one => one === SubscriptionCreated.name)).toHaveLength(1);
  expect(types.filter(one => one === SubscriptionCanceled.name)).toHaveLength(truth.status === 'canceled' ? 1 : 0);
  expect(said.at(-1)?.data).toMatchObject({ status: truth.status, endedAt: truth.endedAt?.toISOString() ?? null });

  const { body: invoiced } = await service.call('GET', '/invoices', { of: scope });
  const id: string = body.subscriptions[0].id;
  for (const invoice of invoiced.invoices) expect(invoice.subscriptionId).toBe(id);
}

/** Whether a subject falls under a filter of the bus. */
function hears(filter: string, type: string): boolean {
  const pattern = filter.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+');
  return type.startsWith('processor.') && new RegExp(`^${pattern}$`).test(type);
}
