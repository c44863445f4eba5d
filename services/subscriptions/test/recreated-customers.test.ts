import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { CustomerId } from '@billing/contracts/ids';
import { DescribeCustomerBilling, ScheduleCancellation } from '@billing/contracts/rpc/as-customer';
import { HasSubscribed, TakeInBilling } from '@billing/contracts/rpc/calls';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { saveCustomerCopies } from '../src/copies/save-copies.ts';
import { findCustomers } from '../src/copies/find-customers.ts';
import { OWNED_TYPES, objectOf, startService, type Service } from './service.ts';
import { startProject, type Project } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A customer that has bought a subscription here, its next record, and the events about all of that. */
async function startHistory() {
  const project = await startProject(service, { hasCopy: false });
  const { scope, customer: first } = project;
  const { price } = await service.createPrice({}, scope);
  const { processorCustomerId: customerId } = first;
  const lines = [{ priceId: price.processorPriceId, quantity: 1 }];
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const metadata = { ...scope, customerId: first.id };
  const session = { mode: 'subscription', customerId, lines, ...urls, metadata } as const;
  const { id: sessionId } = await service.processor.createCheckoutSession(session, crypto.randomUUID());
  await service.control.checkout(sessionId);
  const { subscriptionId } = await service.processor.findCheckoutSession(sessionId);
  await service.control.renew(subscriptionId ?? '');
  const events = (await service.account.events(scope, ...OWNED_TYPES)).filter(
    event => objectOf(event)['customer'] === customerId,
  );
  const createdAt = new Date(first.createdAt.getTime() + 5_000);
  const deleted = { ...first, version: 2, deletedAt: new Date(createdAt.getTime() - 1_000) };
  const next = { ...(await service.createCustomer(scope, customerId, true)), createdAt };
  service.customers.set(first.id, deleted);
  service.customers.set(next.id, next);
  return { project, first, deleted, next, events, subscriptionId };
}

const created = (state: CustomerState, { scope }: Project) => newEvent(CustomerCreated, scope.teamId, state);
const takeIn = (customer: CustomerState, { scope: { teamId } }: Project) =>
  service.rpc.call(TakeInBilling, { teamId, customer });

async function isWaitingForLock(): Promise<boolean> {
  const rows = await service.em.fork().execute<unknown[]>(
    `select 1 from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.length > 0;
}

async function ownersOf({ scope: { projectId } }: Project) {
  const owners: Record<string, CustomerId[]> = {};
  for (const table of ['subscriptions', 'invoices', 'payments']) {
    const rows = await service.em
      .fork()
      .execute<{ id: CustomerId }[]>(`select distinct customer_id as id from ${table} where project_id = ?`, [
        projectId,
      ]);
    owners[table] = rows.map(({ id }) => id);
  }
  return owners;
}

describe('a customer that is deleted here and created again', () => {
  it('has the subscriptions, invoices and payments of the deleted one', async () => {
    const { project, first, deleted, next, events } = await startHistory();
    const { scope } = project;
    await service.deliver(created(first, project));
    await service.deliver(...events);
    expect(await ownersOf(project)).toEqual({ subscriptions: [first.id], invoices: [first.id], payments: [first.id] });
    await service.deliver(newEvent(CustomerDeleted, scope.teamId, deleted));
    expect(await takeIn(next, project)).toEqual({ isComplete: true });

    expect(await ownersOf(project)).toEqual({ subscriptions: [next.id], invoices: [next.id], payments: [next.id] });
    const customerId = next.id;
    const billing = await service.rpc.call(DescribeCustomerBilling, {
      ...scope,
      customerId,
      invoiceLimit: 10,
      invoiceOffset: 0,
    });
    expect(billing.subscriptions).toMatchObject([{ customerId, status: 'active' }]);
    expect(billing.invoices).toHaveLength(2);
    expect(await service.rpc.call(HasSubscribed, { ...scope, customerId })).toEqual({ subscribed: true });
    const [subscription] = billing.subscriptions;
    if (!subscription) throw new Error('There is no subscription.');
    const change = {
      ...scope,
      customerId,
      subscriptionId: subscription.id,
      cancelAtPeriodEnd: true,
      cancellation: null,
      audit: testAuditContext(),
    };
    expect(await service.rpc.call(ScheduleCancellation, change)).toMatchObject({ customerId, cancelAtPeriodEnd: true });
    expect((await project.published()).at(-1)?.data).toMatchObject({ customerId, cancelAtPeriodEnd: true });
  });

  it('has them in every order of events', async () => {
    const scenario = fc.record({
      places: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      isBatch: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ places, isBatch }) => {
        const { project, first, deleted, next, events } = await startHistory();
        const all: (Envelope | 'take in')[] = [
          created(first, project),
          newEvent(CustomerDeleted, project.scope.teamId, deleted),
          created(next, project),
          'take in',
          ...events,
          ...events.map(event => ({ ...event, id: crypto.randomUUID() })),
        ];
        const ordered = all
          .map((step, index) => ({ step, place: places[index % 40] ?? 0 }))
          .toSorted((a, b) => a.place - b.place)
          .map(({ step }) => step);
        const deliveries = ordered.filter(step => step !== 'take in');
        if (isBatch) await Promise.all([service.deliver(...deliveries), takeIn(next, project)]);
        else for (const step of ordered) await (step === 'take in' ? takeIn(next, project) : service.deliver(step));

        expect(await ownersOf(project)).toEqual({
          subscriptions: [next.id],
          invoices: [next.id],
          payments: [next.id],
        });
        expect(await project.subscriptions()).toMatchObject([{ customerId: next.id, status: 'active' }]);
        const published = await project.published();
        const versions = published.map(({ data }) => data.version);
        expect(versions).toEqual(versions.toSorted((a, b) => a - b));
        expect(published.filter(({ type }) => type === SubscriptionCreated.name)).toHaveLength(1);
        expect(published.at(-1)?.data.customerId).toBe(next.id);
      }),
      { numRuns: runs(8) },
    );
  });

  it('keeps its records when the deleted one is found while the new one is saved', async () => {
    const { project, first, next } = await startHistory();
    const { scope } = project;
    await service.deliver(created(first, project));
    const reference = { scope, processorCustomerId: first.processorCustomerId, metadata: {} };
    let saving: Promise<void> | undefined;
    await service.em.fork().transactional(async tx => {
      expect(await findCustomers(tx, [reference])).toEqual([first.id]);
      saving = saveCustomerCopies(service.em.fork(), [{ teamId: scope.teamId, state: next }]);
      // Whoever moves the records then sees all that this transaction records for the deleted one.
      await waitFor(isWaitingForLock, { what: 'the copy to wait' });
    });
    await saving;
    expect(await findCustomers(service.em.fork(), [reference])).toEqual([next.id]);
  });

  it('has them although it is deleted itself before they are moved', async () => {
    const { project, first, deleted, next, events } = await startHistory();
    const { scope } = project;
    await service.deliver(created(first, project));
    await service.deliver(...events);
    const both = [deleted, { ...next, version: 2, deletedAt: new Date(next.createdAt.getTime() + 1_000) }];
    for (const state of both) await service.deliver(newEvent(CustomerDeleted, scope.teamId, state));
    expect(await takeIn(next, project)).toEqual({ isComplete: true });
    expect((await ownersOf(project))['subscriptions']).toEqual([next.id]);
  });
});
