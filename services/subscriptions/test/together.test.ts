import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated } from '@billing/contracts/events/customers';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { ProjectId, type ProjectScope } from '@billing/contracts/ids';
import { ProcessorEventCompleted, type ProcessorEventType } from '@billing/contracts/processor-events';
import { processorFact, completionsIn } from '@billing/testing/processor-events';
import {
  after,
  anInvoice,
  aSubscription,
  invoiceObject,
  subscriptionObject,
  type SubscriptionPayload,
} from './payloads.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const UPDATES = 4;

/** A subscription's life: born, changed four times to 2, 3, 4 and 5 seats, ended. */
function lifeOf(customer: string, id: string) {
  const told = (type: ProcessorEventType, second: number, changes: Partial<SubscriptionPayload>) => ({
    type,
    createdAt: after(second),
    object: subscriptionObject(aSubscription({ id, customer, ...changes })),
  });
  return [
    told('customer.subscription.created', 0, {}),
    ...Array.from({ length: UPDATES }, (_, index) =>
      told('customer.subscription.updated', index + 1, { quantity: index + 2 }),
    ),
    told('customer.subscription.deleted', UPDATES + 1, {
      quantity: UPDATES + 1,
      status: 'canceled',
      endedAt: after(UPDATES + 1),
    }),
  ];
}

async function aProject({ hears = false } = {}): Promise<{ scope: ProjectScope; customer: string }> {
  const scope = { teamId: service.scope.teamId, projectId: ProjectId.create() };
  const customer = await service.createCustomer(scope);
  if (hears) await service.receive(service.tell(CustomerCreated, customer, scope));
  return { scope, customer: customer.processorCustomerId };
}

const toldTo = (scope: ProjectScope, events: ReturnType<typeof lifeOf>) =>
  events.map(({ type, object, createdAt }) => processorFact(scope, type, object, { createdAt }));

async function settledIn({ projectId }: ProjectScope) {
  return completionsIn(await service.said(ProcessorEventCompleted)).filter(one => one.projectId === projectId);
}

async function saidOf({ projectId }: ProjectScope, ...types: { name: string }[]) {
  return (await service.said(...types)).filter(({ data }) => data['projectId'] === projectId);
}

async function shown(scope: ProjectScope) {
  const { body } = await service.call('GET', '/subscriptions?activeOnly=false', { of: scope });
  return body.subscriptions as readonly Record<string, unknown>[]; // what the test looks at
}

describe('events of subscriptions that come at the same moment', () => {
  it('end as the newest of them says, in whatever order they stand, each done once and settled', async () => {
    const ids = ['sub_a', 'sub_b', 'sub_c'];
    const order = fc.shuffledSubarray(
      ids.flatMap((_, sub) => Array.from({ length: UPDATES + 2 }, (_event, event) => ({ sub, event }))),
      { minLength: ids.length * (UPDATES + 2) },
    );
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.constantFrom('nothing', 'customer', 'births'),
        fc.nat({ max: 2 }),
        async (places, known, unended) => {
          const { scope, customer } = await aProject({ hears: known === 'customer' });
          const lives = ids.map((id, index) => {
            const life = toldTo(scope, lifeOf(customer, id));
            return index < unended ? life.slice(0, -1) : life;
          });
          if (known === 'births') for (const [birth] of lives) if (birth) await service.receive(birth);
          const events = places.flatMap(({ sub, event }) => lives[sub]?.[event] ?? []);
          await Promise.all([...events, ...events].map(event => service.receive(event)));

          const subscriptions = await shown(scope);
          expect(subscriptions).toHaveLength(ids.length);
          for (const [index, id] of ids.entries())
            expect(subscriptions.find(one => one['processorSubscriptionId'] === id)).toMatchObject({
              status: index < unended ? 'active' : 'canceled',
              quantity: UPDATES + 1,
            });
          const settled = await settledIn(scope);
          expect(settled.map(({ outcome }) => outcome)).toEqual(lives.flat().map(() => 'processed'));
          await expectConsistent(scope, ids.length - unended);
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);

  it('make new records in one transaction, with the invoices that came before them', async () => {
    const { scope, customer } = await aProject({ hears: true });
    const ids = Array.from({ length: 20 }, (_, index) => `sub_f${index}`);
    const invoice = invoiceObject(anInvoice({ id: 'in_f', customer, subscription: 'sub_f7' }));
    await service.receive(processorFact(scope, 'invoice.paid', invoice));
    const stranger = aSubscription({
      id: 'sub_g',
      customer: (await service.createCustomer(scope)).processorCustomerId,
    });
    const births = ids.flatMap(id => toldTo(scope, lifeOf(customer, id).slice(0, 1)));
    const asked = processorFact(scope, 'customer.subscription.created', subscriptionObject(stranger));
    await Promise.all([asked, ...births].map(event => service.receive(event)));

    const made = await service.em
      .fork()
      .execute<{ by: string; records: number }[]>(
        'select xmin::text as by, count(*)::int as records from subscriptions where project_id = ? group by 1 order by 2',
        [scope.projectId],
      );
    expect(made.map(({ records }) => records)).toEqual([1, ids.length]);
    await expectConsistent(scope, 0);
    const { body } = await service.call('GET', '/invoices', { of: scope });
    const early = (await shown(scope)).find(one => one['processorSubscriptionId'] === 'sub_f7');
    expect(body.invoices).toMatchObject([{ processorInvoiceId: 'in_f', subscriptionId: early?.['id'] }]);
  });

  it('are said once where several change the same subscription', async () => {
    const { scope, customer } = await aProject();
    const [birth, ...updates] = toldTo(scope, lifeOf(customer, 'sub_d').slice(0, -1));
    if (birth) await service.receive(birth);
    await Promise.all(updates.map(event => service.receive(event)));
    const said = await saidOf(scope, SubscriptionUpdated);
    expect(said.map(({ data }) => [data['version'], data['quantity']])).toEqual([[2, UPDATES + 1]]);
  });

  it('pass although one among them cannot be read, and another has a status that nobody knows', async () => {
    const { scope, customer } = await aProject();
    const others = Array.from({ length: 20 }, (_, index) => `sub_e${index}`);
    for (const id of others) await service.receive(toldTo(scope, lifeOf(customer, id).slice(0, 1))[0] ?? never());
    const updates = others.flatMap(id => toldTo(scope, lifeOf(customer, id).slice(1, 2)));
    const unreadable = processorFact(scope, 'customer.subscription.updated', { id: 'sub_e0', items: 'none' });
    const strange = aSubscription({ id: 'sub_new', customer, status: 'dormant' });
    const unknown = processorFact(scope, 'customer.subscription.updated', subscriptionObject(strange));
    const all = updates.toSpliced(7, 0, unreadable, unknown);
    await Promise.all(all.map(event => service.receive(event)));
    const subscriptions = await shown(scope);
    expect(subscriptions.map(one => one['quantity'])).toEqual(others.map(() => 2));
    const settled = await settledIn(scope);
    expect(settled.filter(({ outcome }) => outcome === 'failed')).toHaveLength(2);
    expect(settled).toHaveLength(others.length * 2 + 2);
  });
});

/** Every subscription was said to be created once, to be canceled once if it was, and every version once. */
async function expectConsistent(scope: ProjectScope, canceled: number): Promise<void> {
  const said = await saidOf(scope, SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled);
  for (const ofOne of Map.groupBy(said, ({ data }) => data['id']).values()) {
    expect(ofOne.map(({ data }) => data['version'])).toEqual(ofOne.map((_, index) => index + 1));
    expect(ofOne.map(({ type }) => type === SubscriptionCreated.name)).toEqual(ofOne.map((_, index) => index === 0));
  }
  expect(said.filter(({ type }) => type === SubscriptionCanceled.name)).toHaveLength(canceled);
}

function never(): never {
  throw new Error('A life begins with a birth.');
}
