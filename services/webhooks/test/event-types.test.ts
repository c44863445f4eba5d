import { PROCESSOR_EVENT_OWNERS, type ProcessorEventType } from '@billing/contracts/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from './bus.ts';
import { anEvent, startService, type Service, type Team } from './service.ts';

/** Who acts on what; nobody else does. */
const OWNED: Record<'catalog' | 'customers' | 'subscriptions', readonly ProcessorEventType[]> = {
  catalog: ['product.created', 'product.updated', 'price.created', 'price.updated'],
  customers: ['customer.created', 'customer.updated', 'customer.deleted'],
  subscriptions: [
    'checkout.session.completed',
    'checkout.session.expired',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'customer.subscription.created',
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.resumed',
    'customer.subscription.trial_will_end',
    'invoice.paid',
    'invoice.payment_failed',
    'invoice.finalized',
    'invoice.voided',
    'invoice.updated',
    'payment_intent.succeeded',
    'payment_intent.payment_failed',
    'charge.succeeded',
    'charge.failed',
  ],
};
const TYPES = Object.entries(OWNED).flatMap(([owner, types]) => types.map(type => ({ owner, type })));

/** Others of the processor's, near ones among them, and words that mean something to JavaScript. */
const UNHANDLED = [
  'account.updated',
  'charge.refunded',
  'charge.dispute.created',
  'checkout.session',
  'customer.source.created',
  'customer.subscription.pending_update_applied',
  'customer.tax_id.created',
  'invoice.created',
  'invoice.upcoming',
  'invoice_payment.paid',
  'payment_intent.created',
  'payment_method.attached',
  'price.deleted',
  'product.deleted',
  'CUSTOMER.CREATED',
  'customer.created.v1',
  'constructor',
  '__proto__',
  'toString',
];

let service: Service;
let team: Team;
let bus: ReturnType<typeof listen>;

beforeAll(async () => {
  service = await startService();
  bus = listen(service);
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const objectOf = (type: string) => ({ id: `it_of_${type}`, metadata: { projectId: team.projectId } });
/** Names of the facts that tell services of an event. */
const toldOf = (eventId: string) =>
  bus.heard
    .filter(({ type, data }) => type.startsWith('processor.') && Reflect.get(Object(data), 'eventId') === eventId)
    .map(({ type }) => type);

it('knows one owner of every type that it handles, and handles no other', () => {
  expect(Object.fromEntries(TYPES.map(({ type, owner }) => [type, owner]))).toEqual(PROCESSOR_EVENT_OWNERS);
});

it.each(TYPES)('tells $type once, under the name that $owner reads', async ({ type }) => {
  const event = anEvent(type, objectOf(type));
  expect((await service.send(team, event)).json()).toEqual({ received: true });
  await bus.waitForFacts(event.id, type);
  expect(toldOf(event.id)).toEqual([`processor.${type}.v1`]);
  expect(await service.recordOf(team, event.id)).toMatchObject({ type, status: 'received', projectId: team.projectId });
});

it('keeps every other type as ignored and tells nobody of it', async () => {
  const ignored = UNHANDLED.map(type => anEvent(type, objectOf(type)));
  for (const event of ignored) expect((await service.send(team, event)).json()).toEqual({ received: true });
  // One that is told shows that those before it would have been.
  const last = anEvent('customer.updated', objectOf('customer.updated'));
  await service.send(team, last);
  await waitFor(() => toldOf(last.id).length > 0, { what: 'the last event', timeoutMs: 10_000 });
  for (const { id, type } of ignored) {
    expect(await service.recordOf(team, id)).toMatchObject({ type, status: 'ignored', projectId: null, attempts: 0 });
    expect(toldOf(id)).toEqual([]);
  }
});
