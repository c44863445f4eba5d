import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SubscriptionId } from '@billing/contracts/ids';
import type { Envelope } from '@billing/contracts/event';
import { routedEvent } from '@billing/testing/processor-events';
import { after, anInvoice, chargeObject, invoiceObject, paymentIntentObject, subscriptionObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startPayment } from './start-payment.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Project = Awaited<ReturnType<typeof startProject>>;
type Item = Readonly<Record<string, unknown>>;
interface ListCase {
  /** The event that adds an item to the list, created in some second. */
  readonly added: (project: Project, index: number, second: number) => Envelope;
  readonly statuses: readonly string[];
  /** The name of the property with the processor's id. */
  readonly idName: string;
}

/** Few seconds, so that many items have the same. */
const SECONDS = 6;

const LISTS: Readonly<Record<string, ListCase>> = {
  subscriptions: {
    added: ({ scope, base }, index, second) => {
      const status = index % 3 ? 'active' : 'canceled';
      const content = { ...base, id: `${base.id}_${index}`, status, createdAt: after(second) };
      return routedEvent(scope, 'customer.subscription.created', subscriptionObject(content));
    },
    statuses: ['active', 'canceled'],
    idName: 'processorSubscriptionId',
  },
  invoices: {
    added: ({ scope, customer }, index, second) => {
      const status = index % 3 ? 'open' : 'void';
      const content = { id: `in_${index}`, customer: customer.processorCustomerId, status, createdAt: after(second) };
      const invoice = anInvoice({ ...content, subscription: null, number: `No_${index}` });
      return routedEvent(scope, 'invoice.updated', invoiceObject(invoice), { createdAt: after(second) });
    },
    statuses: ['open', 'void'],
    idName: 'processorInvoiceId',
  },
  payments: {
    added: ({ scope, customer }, index, second) => {
      const created = Math.floor(after(second).getTime() / 1_000);
      const intent = { id: `pi_${index}`, customer: customer.processorCustomerId, created };
      const type = index % 3 ? 'payment_intent.succeeded' : 'payment_intent.payment_failed';
      return routedEvent(scope, type, paymentIntentObject(intent));
    },
    statuses: ['succeeded', 'failed'],
    idName: 'processorPaymentIntentId',
  },
};

const filters = fc
  .record(
    {
      isFirstStatus: fc.boolean(),
      createdAfter: fc.integer({ min: -1, max: SECONDS }),
      createdBefore: fc.integer({ min: -1, max: SECONDS }),
    },
    { requiredKeys: [] },
  )
  .filter(({ createdAfter = -1, createdBefore = SECONDS }) => createdAfter <= createdBefore);

it.each(Object.entries(LISTS))(
  'pages of %s by cursor are the filtered list in its order, while others are added',
  async (path, { added, statuses, idName }) => {
    const processorId = (item: Item) => String(item[idName]);
    const project = await startProject(service);
    let count = 0;
    const add = async (...seconds: readonly number[]) =>
      service.deliver(...seconds.map(second => added(project, count++, second)));
    await add(...Array.from({ length: 13 }, (_, index) => index % SECONDS));

    const page = async (query: Readonly<Record<string, string>>) => {
      const all = path === 'subscriptions' && !query['status'] ? { activeOnly: 'false' } : {};
      const search = new URLSearchParams({ ...all, ...query });
      const { body } = await service.call('GET', `/${path}?${search.toString()}`, { of: project.scope });
      const { total, nextCursor } = body.pagination as { total: number; nextCursor: string | null }; // as the contract says
      return { items: body[path] as Item[], next: nextCursor, total };
    };
    const known = async () => (await page({ limit: '100' })).items;

    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom('newest', 'oldest'),
        fc.integer({ min: 2, max: 9 }),
        fc.array(fc.nat(SECONDS - 1), { maxLength: 2 }),
        async ({ isFirstStatus, createdAfter, createdBefore }, order, limit, additions) => {
          const status = isFirstStatus === undefined ? undefined : statuses[isFirstStatus ? 0 : 1];
          const query = {
            ...(status !== undefined && { status }),
            ...(createdAfter !== undefined && { createdAfter: after(createdAfter).toISOString() }),
            ...(createdBefore !== undefined && { createdBefore: after(createdBefore).toISOString() }),
            order,
            limit: String(limit),
          };
          const matches = (item: Item) =>
            (status === undefined || item['status'] === status) &&
            (createdAfter === undefined || timeOf(item) >= after(createdAfter).getTime()) &&
            (createdBefore === undefined || timeOf(item) < after(createdBefore).getTime());
          const before = (await known()).filter(matches).map(processorId);
          expect((await page(query)).total).toBe(before.length);
          const walked: Item[] = [];
          let cursor: string | null = '';
          for (const queue = [...additions]; cursor !== null;) {
            const { items, next }: Awaited<ReturnType<typeof page>> = await page({
              ...query,
              ...(cursor && { cursor }),
            });
            walked.push(...items);
            cursor = next;
            const second = queue.shift();
            if (second !== undefined) await add(second);
          }
          const ids = walked.map(processorId);
          expect(new Set(ids).size).toBe(ids.length);
          expect(before.filter(id => !ids.includes(id))).toEqual([]);
          expect(walked.filter(item => !matches(item))).toEqual([]);
          const times = walked.map(timeOf);
          expect(times).toEqual(times.toSorted((a, b) => (order === 'newest' ? b - a : a - b)));
        },
      ),
      { numRuns: runs(12) },
    );

    const [item] = await known();
    if (!item) throw new Error('The list is empty.');
    expect((await page({ processorId: processorId(item) })).items).toEqual([item]);
    expect((await page({ processorId: 'none' })).items).toEqual([]);
    const { next } = await page({ limit: '1' });
    const turned = await service.call('GET', `/${path}?order=oldest&limit=1&cursor=${next}`, { of: project.scope });
    expect(turned.body).toMatchObject({ error: { details: { fields: [{ path: 'cursor' }] } } });
    const other = await startProject(service);
    const foreign = await service.call('GET', `/${path}?processorId=${processorId(item)}`, { of: other.scope });
    expect(foreign.body[path]).toEqual([]);
  },
);

const timeOf = (item: Item): number => Date.parse(String(item['createdAt']));

it('finds invoices by a part of their number, in any case, of which nothing is a pattern', async () => {
  const { scope, customer, invoices } = await startProject(service);
  for (const [index, number] of ['ACME-0001', 'acme-0012', 'Other_1', 'Счёт-7', null].entries()) {
    const invoice = anInvoice({
      id: `in_${index}`,
      customer: customer.processorCustomerId,
      subscription: null,
      number,
    });
    await service.deliver(routedEvent(scope, 'invoice.updated', invoiceObject(invoice)));
  }
  const found = async (text: string) =>
    (await invoices(`?number=${encodeURIComponent(text)}`)).map(one => String(one['number']));
  expect((await found('Acme-00')).toSorted()).toEqual(['ACME-0001', 'acme-0012']);
  expect(await found('r_1')).toEqual(['Other_1']);
  expect(await found('СЧЁТ')).toEqual(['Счёт-7']);
  expect(await found('%')).toEqual([]);
});

it('finds payments by their charge, their invoice and its subscription, of the own project only', async () => {
  const { scope, customer, base, payments, invoices, subscriptions } = await startPayment(service);
  const { processorCustomerId } = customer;
  const ofCustomer = { customer: processorCustomerId };
  await service.deliver(
    routedEvent(scope, 'customer.subscription.created', subscriptionObject(base)),
    ...['pi_1', 'pi_2'].map(id =>
      routedEvent(scope, 'payment_intent.succeeded', paymentIntentObject({ id, ...ofCustomer })),
    ),
    routedEvent(scope, 'charge.succeeded', chargeObject({ invoice: 'in_1', ...ofCustomer })),
    routedEvent(
      scope,
      'invoice.paid',
      invoiceObject(anInvoice({ ...ofCustomer, subscription: base.id, status: 'paid' })),
    ),
  );
  const [invoice] = await invoices();
  const wanted = [{ processorPaymentIntentId: 'pi_1', processorChargeId: 'ch_1', invoiceId: invoice?.['id'] }];
  expect(await payments('?processorId=ch_1')).toMatchObject(wanted);
  expect(await payments(`?invoiceId=${String(invoice?.['id'])}`)).toMatchObject(wanted);
  const [subscription] = await subscriptions();
  expect(await payments(`?subscriptionId=${String(subscription?.['id'])}`)).toMatchObject(wanted);
  const other = await startPayment(service);
  expect(await other.payments(`?invoiceId=${String(invoice?.['id'])}`)).toEqual([]);
  expect(await other.payments(`?subscriptionId=${String(subscription?.['id'])}`)).toEqual([]);
});

it('finds a canceled subscription by the processor’s id or its own, without a word about its status', async () => {
  const { event, subscriptions, base } = await startProject(service);
  await service.deliver(event('customer.subscription.created', after(0), { status: 'canceled' }));
  const [found] = await subscriptions(`?processorId=${base.id}`);
  expect(found).toMatchObject({ status: 'canceled' });
  expect(await subscriptions(`?processorId=${base.id}&activeOnly=true`)).toEqual([]);
  const ids = `${SubscriptionId.create()},${String(found?.['id'])}`;
  expect(await subscriptions(`?ids=${ids}`)).toEqual([found]);
  const other = await startProject(service);
  expect(await other.subscriptions(`?ids=${ids}`)).toEqual([]);
});

it.each(['createdAfter=0000-01-01T00:00:00Z', 'createdBefore=2026-01-01', 'createdAfter=1', 'order=desc', 'number='])(
  'rejects %s',
  async query => {
    expect((await service.call('GET', `/invoices?${query}`)).status).toBe(400);
  },
);
