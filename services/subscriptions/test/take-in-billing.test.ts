import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import { ProjectId } from '@billing/contracts/ids';
import { DescribeCustomerBilling } from '@billing/contracts/rpc/as-customer';
import { HasSubscribed, TakeInBilling } from '@billing/contracts/rpc/calls';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { OWNED_TYPES, objectOf, startService, type Service } from './service.ts';
import { startProject, type Project } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A customer of the processor that nobody has linked yet. */
async function startBilledCustomer(metadata: Record<string, string> = {}) {
  const { processor } = service;
  const email = `${crypto.randomUUID()}@example.com`;
  const { id } = await processor.createCustomer({ email, metadata }, crypto.randomUUID());
  const { price } = await service.createPrice();
  const subscribe = async (more: Record<string, string> = {}): Promise<string> => {
    const lines = [{ priceId: price.processorPriceId, quantity: 2 }];
    const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
    const session = { mode: 'subscription', customerId: id, lines, ...urls, metadata: more } as const;
    const { id: sessionId } = await processor.createCheckoutSession(session, crypto.randomUUID());
    await service.control.checkout(sessionId);
    const { subscriptionId } = await processor.findCheckoutSession(sessionId);
    if (subscriptionId === null) throw new Error('The checkout created no subscription.');
    return subscriptionId;
  };
  return { id, subscribe };
}

const link = (processorCustomerId: string) =>
  startProject(service, { processorCustomerId, linkedToExisting: true, hasCopy: false });

const takeIn = ({ scope: { teamId }, customer }: Project) => service.rpc.call(TakeInBilling, { teamId, customer });

const idsOf = async (project: Project) =>
  (await project.subscriptions()).map(found => String(found['processorSubscriptionId'])).toSorted();

const billingOf = ({ scope, customer: { id: customerId } }: Project) =>
  service.rpc.call(DescribeCustomerBilling, { ...scope, customerId, invoiceLimit: 100, invoiceOffset: 0 });

const hasSubscribed = async ({ scope, customer: { id: customerId } }: Project) =>
  (await service.rpc.call(HasSubscribed, { ...scope, customerId })).subscribed;

/** Makes the intakes due that the requests have left. */
const makeDue = () =>
  service.em.fork().execute('update customer_intakes set due_at = now() where lease_id is null and due_at is not null');

const isTakenIn = async ({ customer: { id } }: Project) => {
  const [intake] = await service.em
    .fork()
    .execute<{ due_at: Date | null }[]>('select due_at from customer_intakes where customer_id = ?', [id]);
  return intake?.due_at === null;
};

describe('a customer that is linked to one that the processor has', () => {
  it('has its subscriptions and invoices at once, each published once', async () => {
    const billed = await startBilledCustomer();
    const ids = [await billed.subscribe(), await billed.subscribe()].toSorted();
    await service.processor.cancelSubscription(ids[0] ?? '', crypto.randomUUID());
    const project = await link(billed.id);

    expect(await takeIn(project)).toEqual({ isComplete: true });
    expect(await idsOf(project)).toEqual(ids);
    const { subscriptions, invoices } = await billingOf(project);
    expect(subscriptions).toMatchObject([{ processorSubscriptionId: ids[1], status: 'active', quantity: 2 }]);
    expect(invoices.map(({ status, subscriptionId }) => [status, subscriptionId !== null])).toEqual([
      ['paid', true],
      ['paid', true],
    ]);
    expect(await hasSubscribed(project)).toBe(true);
    const published = await project.published();
    expect(published.filter(({ type }) => type === SubscriptionCreated.name)).toHaveLength(2);

    expect(await takeIn(project)).toEqual({ isComplete: true });
    await service.deliver(newEvent(CustomerCreated, project.scope.teamId, project.customer));
    expect(await project.published()).toEqual(published);
  });

  it('gets them because of its event when no call came', async () => {
    const billed = await startBilledCustomer();
    const id = await billed.subscribe();
    const project = await link(billed.id);
    await service.deliver(newEvent(CustomerCreated, project.scope.teamId, project.customer));
    await makeDue();
    await waitFor(() => isTakenIn(project), { what: 'the billing to be taken in' });
    expect(await idsOf(project)).toEqual([id]);
    expect(await project.invoices()).toHaveLength(1);
  });

  it('gets them later when the processor fails', async () => {
    const billed = await startBilledCustomer();
    const id = await billed.subscribe();
    const project = await link(billed.id);
    await service.control.fail({ method: 'GET', path: '/v1/invoices', mode: '500', times: 20 });
    await expect(takeIn(project)).rejects.toThrow('processor');
    expect(await idsOf(project)).toEqual([id]);
    await service.control.clearFaults();
    await makeDue();
    await waitFor(() => isTakenIn(project), { what: 'the billing to be taken in' });
    expect(await project.invoices()).toHaveLength(1);
  });

  it('is known as a subscriber although neither a call nor its event came', async () => {
    const billed = await startBilledCustomer();
    const project = await link(billed.id);
    expect(await hasSubscribed(project)).toBe(false);
    const other = await startBilledCustomer();
    await other.subscribe();
    const unknown = await link(other.id);
    await service.control.fail({ method: 'GET', path: '/v1/subscriptions', mode: '429', times: 20 });
    await expect(hasSubscribed(unknown)).rejects.toMatchObject({ kind: 'unavailable' });
    await service.control.clearFaults();
    expect(await hasSubscribed(unknown)).toBe(true);
  });

  it('gets nothing that names another project of the team', async () => {
    const { scope: other } = await startProject(service);
    const billed = await startBilledCustomer();
    const project = await link(billed.id);
    const { teamId, projectId } = project.scope;
    await billed.subscribe({ teamId, projectId: other.projectId });
    const own = [
      await billed.subscribe({ teamId, projectId }),
      await billed.subscribe({ projectId: ProjectId.create() }),
      await billed.subscribe(),
    ];
    expect(await takeIn(project)).toEqual({ isComplete: true });
    expect(await idsOf(project)).toEqual(own.toSorted());
    expect(await project.invoices()).toHaveLength(3);
  });

  it.each(['names', 'has first'])('gets what names no project only in the project that its metadata %s', async how => {
    const first = await startProject(service);
    const second = await startProject(service);
    const named = how === 'names' ? second : first;
    const billed = await startBilledCustomer(how === 'names' ? { projectId: second.scope.projectId } : {});
    const id = await billed.subscribe();
    const link2 = async ({ scope }: Project, seconds: number) => {
      const customer = await service.createCustomer(scope, billed.id, true);
      const linked = { ...customer, createdAt: new Date(Date.now() + seconds * 1_000) };
      service.customers.set(customer.id, linked);
      return linked;
    };
    const customers = [await link2(first, 0), await link2(second, 5)];
    for (const customer of customers) await service.rpc.call(TakeInBilling, { teamId: service.scope.teamId, customer });
    for (const project of [first, second]) {
      expect(await idsOf(project)).toEqual(project === named ? [id] : []);
      expect(await project.invoices()).toHaveLength(project === named ? 1 : 0);
    }
  });

  it('gets more than a hundred right after the call', async () => {
    const billed = await startBilledCustomer();
    const ids: string[] = [];
    for (let turn = 0; turn < 11; turn += 1)
      ids.push(...(await Promise.all(Array.from({ length: 10 }, () => billed.subscribe()))));
    await Promise.all(ids.slice(0, 100).map(id => service.control.renew(id)));
    await Promise.all(ids.slice(0, 100).map(id => service.control.renew(id)));
    const project = await link(billed.id);
    expect(await takeIn(project)).toEqual({ isComplete: false });
    await waitFor(() => isTakenIn(project), { what: 'the billing to be taken in' });
    const [counted] = await service.em.fork().execute<{ subscriptions: number; invoices: number }[]>(
      `select (select count(*)::int from subscriptions where project_id = ?) as subscriptions,
                (select count(*)::int from invoices where project_id = ?) as invoices`,
      [project.scope.projectId, project.scope.projectId],
    );
    expect(counted).toEqual({ subscriptions: 110, invoices: 310 });
  });
});

it('ends in the processor’s state in every order of intakes and events', async () => {
  const scenario = fc.record({
    takeInAt: fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }),
    shuffle: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
    endsAfter: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ takeInAt, shuffle, endsAfter }) => {
      const billed = await startBilledCustomer();
      const id = await billed.subscribe();
      await service.control.renew(id, 'decline');
      const project = await link(billed.id);
      const finish = async () => {
        await service.control.collect(id);
        await service.processor.setCancelAtPeriodEnd(id, true, crypto.randomUUID());
        if (endsAfter) await service.processor.cancelSubscription(id, crypto.randomUUID());
      };
      // A part of the history happens after the first intake.
      await takeIn(project);
      await finish();
      const events = (await service.account.events(project.scope, ...OWNED_TYPES)).filter(
        event => objectOf(event)['customer'] === billed.id,
      );
      const order = [...events, ...events]
        .map((event, index) => ({ event: { ...event, id: crypto.randomUUID() }, place: shuffle[index % 30] ?? 0 }))
        .toSorted((a, b) => a.place - b.place);
      for (const [index, { event }] of order.entries()) {
        if (takeInAt.includes(index)) {
          await service.em.fork().execute(`update customer_intakes set due_at = now()`);
          await takeIn(project);
        }
        await service.deliver(event);
      }
      const { status, cancelAtPeriodEnd } = await service.processor.findSubscription(id);
      expect(await project.subscriptions()).toMatchObject([
        { status, cancelAtPeriodEnd: status === 'canceled' ? false : cancelAtPeriodEnd },
      ]);
      const shown = ({ processorInvoiceId, status: state, amountPaid }: Record<string, unknown>) => ({
        processorInvoiceId,
        status: state,
        amountPaid,
      });
      const atProcessor = (await service.processor.listInvoices(billed.id)).map(invoice =>
        shown({ ...invoice, processorInvoiceId: invoice.id }),
      );
      const recorded = (await project.invoices()).map(shown);
      expect(recorded).toHaveLength(atProcessor.length);
      expect(recorded).toEqual(expect.arrayContaining(atProcessor));
      const published = await project.published();
      const versions = published.map(({ data }) => data.version);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(published.filter(({ type }) => type === SubscriptionCreated.name)).toHaveLength(1);
    }),
    { numRuns: runs(12) },
  );
});
