import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PriceCreated } from '@billing/contracts/events/catalog';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { InvoiceSaved } from '@billing/contracts/events/money';
import { PurgeStarted } from '@billing/contracts/events/webhooks';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { compareSubscriptions } from '../src/record/compare-subscriptions.ts';
import { after, anInvoice, BASE_TIME, invoiceObject, type PayloadShape } from './payloads.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

const ITEMS = 12;
const TAX_ID = { type: 'eu_vat', value: 'DE123456789' };
const ORDER = '2026-17';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const created = BASE_TIME.getTime() / 1_000;

/** What an invoice of 25.20 with 4.79 of tax has beside its status, in the shape of two API versions. */
function contentObject(shape: PayloadShape): Record<string, unknown> {
  const taxed = { amount: 479, taxable_amount: 2_520, taxability_reason: 'standard_rated' };
  const line = {
    id: 'il_1',
    description: '2 × Pro',
    amount: 2_800,
    discount_amounts: [{ amount: 280, discount: 'di_1' }],
    quantity: 2,
    period: { start: created, end: created + 86_400 },
    ...(shape === 'new'
      ? {
          pricing: { price_details: { price: 'price_1' } },
          parent: { subscription_item_details: { proration: true } },
        }
      : { price: { id: 'price_1' }, proration: true }),
  };
  return {
    subtotal: 2_800,
    total: 2_999,
    total_discount_amounts: [{ amount: 280, discount: 'di_1' }],
    ...(shape === 'new'
      ? { total_taxes: [{ ...taxed, tax_behavior: 'exclusive' }] }
      : { total_tax_amounts: [{ ...taxed, inclusive: false }], tax: 479 }),
    customer_tax_ids: [TAX_ID, { type: 'unknown', value: null }],
    custom_fields: [
      { name: 'Cost centre', value: '4711' },
      { name: 'PO number', value: ORDER },
    ],
    lines: { object: 'list', data: [line], has_more: false },
  };
}

const CONTENT = {
  subtotal: 2_800,
  discount: 280,
  tax: 479,
  total: 2_999,
  taxes: [{ amount: 479, taxableAmount: 2_520, inclusive: false, reason: 'standard_rated' }],
  customerTaxIds: [TAX_ID],
  purchaseOrder: ORDER,
};
const LINE = {
  description: '2 × Pro',
  amount: 2_800,
  discount: 280,
  quantity: 2,
  priceId: null,
  processorPriceId: 'price_1',
  periodStart: BASE_TIME.toISOString(),
  periodEnd: new Date(BASE_TIME.getTime() + 86_400_000).toISOString(),
  proration: true,
};

/** A project with one customer, and the events of one of its invoices. */
async function startInvoice(shape: PayloadShape = 'new') {
  const project = await startProject(service);
  const { scope, customer } = project;
  const base = anInvoice({ customer: customer.processorCustomerId, subscription: null });
  const objectWith = (more: Record<string, unknown>, id = base.id) => ({
    ...invoiceObject({ ...base, id }, shape),
    ...contentObject(shape),
    ...more,
  });
  const compare = compareSubscriptions(service.em);
  return {
    ...project,
    objectWith,
    bill: (seconds: number, more: Record<string, unknown> = {}, id?: string) =>
      service.deliver(routedEvent(scope, 'invoice.updated', objectWith(more, id), { createdAt: after(seconds) })),
    get: async (at = 0) => {
      const invoice = (await project.invoices())[at];
      return (await service.call('GET', `/invoices/${String(invoice?.['id'])}`, { of: scope })).body.invoice;
    },
    compare: (object: object) => compare({ ...scope, type: 'invoice', objects: [object as { id: string }] }), // an invoice has one
    forget: () =>
      service.deliver(newEvent(CustomerDeleted, scope.teamId, { ...customer, version: 2, deletedAt: after(9) })),
  };
}

it.each(['new', 'old'] as const)('has what it bills and taxes, in the %s shape of payloads', async shape => {
  const { bill, get, invoices, compare, objectWith } = await startInvoice(shape);
  await bill(1);
  expect(await get()).toMatchObject({ ...CONTENT, lines: [LINE] });
  const [listed] = await invoices();
  expect(listed).toMatchObject(CONTENT);
  expect(listed).not.toHaveProperty('lines');
  expect(await compare(objectWith({}))).toMatchObject([{ outcome: 'same' }]);
});

it('names our prices in its lines once they are known', async () => {
  const { bill, get, scope } = await startInvoice();
  await bill(1);
  const { price } = await service.createPrice({}, scope);
  await service.deliver(newEvent(PriceCreated, scope.teamId, { ...price, processorPriceId: 'price_1' }));
  expect((await get()).lines).toEqual([{ ...LINE, priceId: price.id }]);
});

it('has the newest lines and taxes in every order of events', async () => {
  const lines = (amount: number) => ({
    lines: { object: 'list', data: [{ amount, period: { start: created, end: created } }] },
    total_taxes: [{ amount }],
    custom_fields: [{ name: 'PO number', value: String(amount) }],
  });
  const order = fc.shuffledSubarray([1, 2, 3, 1, 2, 3], { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), async (seconds, isBatch) => {
      const { scope, objectWith, get } = await startInvoice();
      const event = (at: number) =>
        routedEvent(scope, 'invoice.updated', objectWith(lines(at)), { createdAt: after(at) });
      const delivered = seconds.map(event).map(deliveredAgain);
      if (isBatch) await service.deliver(...delivered);
      else for (const one of delivered) await service.deliver(one);
      expect(await get()).toMatchObject({ tax: 3, purchaseOrder: '3', lines: [{ amount: 3 }] });
    }),
    { numRuns: runs(8) },
  );
});

it('is known from the next read of an invoice that was recorded before', async () => {
  const { bill, get, compare, objectWith, scope } = await startInvoice();
  await bill(1, { status: 'paid' });
  await service.em.fork().execute(
    `update invoices set subtotal = null, discount = null, tax = null, total = null, purchase_order = null,
            taxes = '[]', customer_tax_ids = '[]', lines = '[]'
      where project_id = ?`,
    [scope.projectId],
  );
  expect(await get()).toMatchObject({ subtotal: null, discount: null, tax: null, total: null, taxes: [], lines: [] });
  const [compared] = await compare(objectWith({ status: 'paid' }));
  const hidden = { ours: null, theirs: null };
  expect(compared).toMatchObject({ outcome: 'different' });
  expect(compared?.fields).toEqual(
    expect.arrayContaining([
      { field: 'tax', ours: null, theirs: 479 },
      ...['customerTaxIds', 'purchaseOrder', 'lines'].map(field => ({ field, ...hidden })),
    ]),
  );
  await bill(2, { status: 'paid' });
  expect(await get()).toMatchObject({ ...CONTENT, lines: [LINE] });
});

describe('an invoice with more lines than its events have', () => {
  /** Bills a taxed business for twelve prices, without a payment. */
  async function billBusiness() {
    const project = await startProject(service);
    const { scope, customer } = project;
    const { dashboard } = service.account;
    const payer = customer.processorCustomerId;
    await dashboard.customers.update(payer, {
      address: { country: 'DE' },
      invoice_settings: { custom_fields: [{ name: 'PO number', value: ORDER }] },
    });
    await dashboard.customers.createTaxId(payer, { type: 'gb_vat', value: 'GB123456789' });
    const prices = await Promise.all(Array.from({ length: ITEMS }, () => service.createPrice({}, scope)));
    await dashboard.subscriptions.create({
      customer: payer,
      items: prices.map(({ price }) => ({ price: price.processorPriceId })),
      automatic_tax: { enabled: true },
      payment_behavior: 'default_incomplete',
    });
    const events = await service.account.events(scope, 'invoice.finalized', 'invoice.updated');
    return { ...project, payer, events: events.filter(event => objectOf(event)['customer'] === payer) };
  }

  it('has the same content by its events, by a sync, and by both in turn', async () => {
    const { payer, events } = await billBusiness();
    const [event] = events;
    if (!event) throw new Error('The processor sent no event of the invoice.');
    expect(objectOf(event)).toMatchObject({ lines: { has_more: true, data: { length: 10 } } });
    const { object } = await service.processor.findListed('invoice', String(objectOf(event)['id']));
    const record = async (...objects: readonly object[]) => {
      const { scope, invoices } = await startProject(service, { processorCustomerId: payer });
      for (const [at, one] of objects.entries())
        await service.deliver(routedEvent(scope, 'invoice.updated', { ...one }, { createdAt: after(at) }));
      const [{ id } = {}] = await invoices();
      const { body } = await service.call('GET', `/invoices/${String(id)}`, { of: scope });
      const { id: _id, customerId: _customer, projectId: _project, updatedAt: _updated, ...content } = body.invoice;
      return content;
    };
    const byEvent = await record(objectOf(event));
    const subtotal = ITEMS * 2_999;
    expect(byEvent).toMatchObject({ subtotal, purchaseOrder: ORDER, customerTaxIds: [{ type: 'gb_vat' }] });
    expect(byEvent.lines).toHaveLength(ITEMS);
    expect(byEvent.total).toBe(subtotal + byEvent.tax);
    expect(byEvent.tax).toBeGreaterThan(0);
    expect(await record(object ?? {})).toEqual(byEvent);
    expect(await record(object ?? {}, objectOf(event))).toEqual(byEvent);
  });
});

describe('what is personal of an invoice', () => {
  const secrets = [TAX_ID.value, ORDER];

  it('stands in no event, and neither do the lines', async () => {
    const { bill, scope, publicEvents } = await startInvoice();
    await bill(1);
    await bill(2, { amount_remaining: 1, custom_fields: [] });
    const saved = (await service.published(InvoiceSaved)).filter(({ data }) => data.projectId === scope.projectId);
    expect(saved).toMatchObject([{ data: { tax: 479 } }, { data: { amountRemaining: 1 } }]);
    const written = JSON.stringify([saved, await publicEvents()]);
    for (const secret of [...secrets, LINE.description]) expect(written).not.toContain(secret);
  });

  it('changes without an event', async () => {
    const { bill, get, publicEvents } = await startInvoice();
    await bill(1);
    const before = await publicEvents();
    await bill(2, { customer_tax_ids: [], lines: { object: 'list', data: [] } });
    expect(await get()).toMatchObject({ customerTaxIds: [], lines: [] });
    expect(await publicEvents()).toEqual(before);
  });

  it('is erased when the customer is deleted, whatever comes later', async () => {
    const { bill, get, forget, compare, objectWith, scope } = await startInvoice();
    await bill(1);
    await forget();
    const erased = { customerTaxIds: [], purchaseOrder: null };
    expect(await get()).toMatchObject({ ...CONTENT, ...erased });
    expect(await compare(objectWith({}))).toMatchObject([{ outcome: 'same' }]);
    await bill(2, { number: 'INV-9' });
    await bill(3, {}, 'in_2');
    expect([await get(0), await get(1)]).toMatchObject([erased, erased]);
    const rows = await service.em.fork().execute('select * from invoices where project_id = ?', [scope.projectId]);
    expect(rows).toHaveLength(2);
    for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('stays that of other customers', async () => {
    const [one, other] = [await startInvoice(), await startInvoice()];
    for (const { bill } of [one, other]) await bill(1);
    await one.forget();
    expect(await other.get()).toMatchObject(CONTENT);
  });

  it('is gone with the team’s account', async () => {
    await using own = await startService();
    const { scope, customer } = await startProject(own);
    const base = anInvoice({ customer: customer.processorCustomerId, subscription: null });
    await own.deliver(routedEvent(scope, 'invoice.updated', { ...invoiceObject(base), ...contentObject('new') }));
    const { teamId, projectId } = scope;
    expect(await own.em.fork().execute('select from invoices where team_id = ?', [teamId])).toHaveLength(1);
    await own.deliver(newEvent(PurgeStarted, teamId, { purgeId: crypto.randomUUID(), projectIds: [projectId] }));
    expect(await own.em.fork().execute('select from invoices where team_id = ?', [teamId])).toEqual([]);
  });
});
