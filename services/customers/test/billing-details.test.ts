import { BillingDetailsUpdated } from '@billing/contracts/events/billing-details';
import { CustomerUpdated } from '@billing/contracts/events/customers';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { FindBillingDetails, FindCustomer, UpdateBillingDetails } from '@billing/contracts/rpc/calls';
import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { BERLIN } from '@billing/testing/addresses';
import { testAuditContext } from '@billing/service/testing/audit-context';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { startBilled } from './start-billed.ts';
import { startCustomers, type Customers } from './start-customers.ts';

const VAT = { type: 'eu_vat', value: 'DE123456789' };
const EIN = { type: 'us_ein', value: '12-3456789' };

/** Makes a subscription of the customer that is taxed. */
async function subscribeTaxed({ dashboard }: Customers, customer: string): Promise<void> {
  const { id: product } = await dashboard.products.create({ name: 'Pro' });
  const monthly = { currency: 'eur', unit_amount: 1_000, recurring: { interval: 'month' } } as const;
  const { id: price } = await dashboard.prices.create({ product, ...monthly });
  const paid = { collection_method: 'send_invoice', days_until_due: 30 } as const;
  await dashboard.subscriptions.create({ customer, items: [{ price }], automatic_tax: { enabled: true }, ...paid });
}

const ALL = {
  businessName: 'Analytical Engines GmbH',
  address: BERLIN,
  phone: '+49 30 1',
  taxIds: [VAT],
  taxExempt: 'reverse',
  locale: 'de',
  purchaseOrder: '2026-17',
  invoiceFields: [{ name: 'Cost centre', value: '4711' }],
};

it('changes every detail here and at the processor, and keeps those that are absent', async () => {
  await using billed = await startBilled();
  const changed = await billed.patch(ALL);
  expect(changed.body.billingDetails).toMatchObject({
    ...ALL,
    customerId: billed.id,
    taxIds: [{ ...VAT, verification: 'verified' }],
    taxLocation: 'recognized',
  });
  expect(await billed.get()).toEqual(changed.body.billingDetails);
  expect(await billed.dashboard.customers.retrieve(billed.processorId)).toMatchObject({
    business_name: ALL.businessName,
    address: { line1: BERLIN.line1, postal_code: '10115', country: 'DE' },
    tax_exempt: 'reverse',
    preferred_locales: ['de'],
    invoice_settings: {
      custom_fields: [{ name: 'PO number', value: '2026-17' }, ...ALL.invoiceFields],
    },
  });
  await billed.patch({ purchaseOrder: '18' });
  expect(await billed.get()).toMatchObject({ ...ALL, taxIds: [VAT], purchaseOrder: '18' });
});

it('clears details with null and an empty list', async () => {
  await using billed = await startBilled();
  await billed.patch(ALL);
  const none = { businessName: null, address: null, phone: null, taxExempt: null, locale: null, purchaseOrder: null };
  const cleared = await billed.patch({ ...none, taxIds: [], invoiceFields: [] });
  expect(cleared.body.billingDetails).toMatchObject({ ...none, taxExempt: 'none', taxIds: [], invoiceFields: [] });
  expect(await billed.taxIds()).toEqual([]);
  const { name } = (await billed.call('GET', `/customers/${billed.id}`)).body.customer;
  expect(name).toBeUndefined();
});

it('creates new tax ids before it deletes those left out, and leaves one that stays', async () => {
  await using billed = await startBilled();
  await billed.patch({ taxIds: [VAT, EIN] });
  const before = await billed.dashboard.customers.listTaxIds(billed.processorId);
  await billed.patch({
    taxIds: [
      { ...VAT, value: 'DE 123456789' },
      { type: 'gb_vat', value: 'GB123456789' },
    ],
  });
  const after = await billed.dashboard.customers.listTaxIds(billed.processorId);
  const idOf = ({ data }: Stripe.ApiList<Stripe.TaxId>) => data.find(({ type }) => type === 'eu_vat')?.id;
  expect(idOf(after)).toBe(idOf(before));
  const events = await billed.dashboard.events.list({ types: ['customer.tax_id.created', 'customer.tax_id.deleted'] });
  const sent = events.data.toReversed().map(({ type, data }) => [type, (data.object as Stripe.TaxId).type]);
  expect(sent.slice(2)).toEqual([
    ['customer.tax_id.created', 'gb_vat'],
    ['customer.tax_id.deleted', 'us_ein'],
  ]);
});

it.each([
  ['no value of its kind', { type: 'eu_vat', value: 'DE1' }],
  ['of no known kind', { type: 'xx_vat', value: '1' }],
])('refuses a tax id that is %s, and changes nothing', async (_, wrong) => {
  await using billed = await startBilled();
  const refused = await billed.patch({ businessName: 'Engines', taxIds: [EIN, wrong] });
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'tax_id_invalid', details: { index: 1 } } } });
  expect(await billed.taxIds()).toEqual([]);
  expect(await billed.get()).toMatchObject({ businessName: null, taxIds: [] });
  expect(await billed.published(AuditRecorded)).toMatchObject([{ data: { action: 'createCustomer' } }]);
});

it('keeps no value of a tax id that was removed, here or in the dashboard', async () => {
  await using billed = await startBilled();
  await billed.patch({ taxIds: [VAT, EIN] });
  await billed.patch({ taxIds: [EIN] });
  const { data } = await billed.dashboard.customers.listTaxIds(billed.processorId);
  await billed.dashboard.customers.deleteTaxId(billed.processorId, data[0]?.id ?? '');
  await billed.deliver(...(await billed.events()));
  const rows = await billed.em.fork().execute<object[]>('select tax_ids from customers');
  expect(JSON.stringify(rows)).not.toMatch(/DE123456789|12-3456789/);
});

it('refuses an address without which a subscription cannot be taxed, and takes new tax ids back', async () => {
  await using billed = await startBilled();
  await billed.patch({ address: BERLIN });
  await subscribeTaxed(billed, billed.processorId);
  const refused = await billed.patch({ address: { country: 'US' }, taxIds: [VAT] });
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'tax_location_invalid' } } });
  expect(await billed.taxIds()).toEqual([]);
  expect(await billed.get()).toMatchObject({ address: BERLIN, taxLocation: 'recognized' });
});

it('refuses an address without which nothing can be taxed in a project that computes tax', async () => {
  await using billed = await startBilled();
  expect((await billed.patch({ address: { country: 'US' } })).status).toBe(200);
  billed.customers.project.automaticTax = true;
  const refused = await billed.patch({ address: { country: 'US', line1: 'Main St' }, taxIds: [VAT] });
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'tax_location_invalid' } } });
  expect(await billed.taxIds()).toEqual([]);
  expect(await billed.get()).toMatchObject({ address: { line1: null } });
  expect((await billed.patch({ address: BERLIN })).body.billingDetails).toMatchObject({ taxLocation: 'recognized' });
  expect((await billed.patch({ businessName: 'Engines', address: null })).status).toBe(200);
});

it('leaves a tax id that the dashboard made while a change waited to be refused', async () => {
  await using billed = await startBilled();
  await billed.patch({ address: BERLIN });
  await subscribeTaxed(billed, billed.processorId);
  await billed.control.fail({ method: 'POST', path: '/v1/customers', mode: 'dropped', times: 50 });
  const waits = await billed.patch({ address: { country: 'US' }, taxIds: [VAT] });
  expect(waits.status).toBe(503);
  await billed.control.clearFaults();
  await billed.dashboard.customers.createTaxId(billed.processorId, { type: 'us_ein', value: EIN.value });
  await billed.makeDue();
  await billed.reconcile();
  expect(await billed.openOperations()).toEqual([]);
  expect(await billed.taxIds()).toEqual([EIN]);
});

it('leaves invoice fields that were made in the dashboard, and says when there is no room', async () => {
  await using billed = await startBilled();
  const custom_fields = ['A', 'B'].map(name => ({ name, value: 'theirs' }));
  await billed.dashboard.customers.update(billed.processorId, { invoice_settings: { custom_fields } });
  const own = [{ name: 'C', value: 'ours' }];
  const changed = await billed.patch({ purchaseOrder: '7', invoiceFields: own });
  expect(changed.body.billingDetails).toMatchObject({ purchaseOrder: '7', invoiceFields: own });
  const found = await billed.dashboard.customers.retrieve(billed.processorId);
  expect(found).toMatchObject({
    invoice_settings: { custom_fields: [{ name: 'PO number', value: '7' }, ...own, ...custom_fields] },
  });
  const full = await billed.patch({ invoiceFields: [...own, { name: 'D', value: 'x' }] });
  expect(full).toMatchObject({ status: 422, body: { error: { code: 'invoice_fields_full', details: { left: 2 } } } });
});

it('reads tax ids from before a customer was linked when they are asked for', async () => {
  await using customers = await startCustomers();
  const { id: processorId } = await customers.dashboard.customers.create({ email: 'old@example.com' });
  await customers.dashboard.customers.createTaxId(processorId, { type: 'eu_vat', value: VAT.value });
  const { id } = await customers.createCustomer({ email: 'old@example.com' });
  const { body } = await customers.call('GET', `/customers/${id}/billing-details`);
  expect(body.billingDetails).toMatchObject({ taxIds: [VAT], taxLocation: 'unrecognized' });
});

it('follows the dashboard, in events of their own that no event of the customer repeats', async () => {
  await using billed = await startBilled();
  await billed.get();
  await billed.control.advanceClock(2);
  const address = { line1: 'Rue 1', postal_code: '75001', country: 'FR' };
  await billed.dashboard.customers.update(billed.processorId, { address, business_name: 'Machines SA' });
  const taxId = await billed.dashboard.customers.createTaxId(billed.processorId, {
    type: 'eu_vat',
    value: 'FRAB123456789',
  });
  await billed.deliver(...(await billed.events()));
  // Nobody has to look: tax that stopped starts again by this event.
  const [newest] = (await billed.published(BillingDetailsUpdated))
    .filter(({ data }) => data.address?.country === 'FR')
    .slice(-1);
  expect(newest?.data.taxLocation).toBe('recognized');
  expect(await billed.get()).toMatchObject({ businessName: 'Machines SA', address: { country: 'FR' }, taxIds: [{}] });
  await billed.control.advanceClock(2);
  await billed.dashboard.customers.deleteTaxId(billed.processorId, taxId.id);
  await billed.deliver(...(await billed.events()));
  expect(await billed.get()).toMatchObject({ taxIds: [], taxLocation: 'recognized' });
  const events = await billed.published(BillingDetailsUpdated);
  const changes = events.flatMap(({ data }) => data.change ?? []);
  expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, index) => index + 1));
  expect(await billed.published(CustomerUpdated)).toEqual([]);
});

it('asks whether a customer is recognized who moves in the second of another change', async () => {
  await using billed = await startBilled();
  await billed.patch({ businessName: 'Engines' });
  await billed.dashboard.customers.update(billed.processorId, { address: { country: 'FR' } });
  const [newest] = (await billed.events()).slice(-1);
  if (newest) await billed.deliver(newest);
  const [last] = (await billed.published(BillingDetailsUpdated)).slice(-1);
  expect(last?.data).toMatchObject({ address: { country: 'FR' }, taxLocation: 'recognized' });
});

it('shows a customer’s details nowhere else, and forgets them with the customer', async () => {
  await using billed = await startBilled();
  await billed.patch(ALL);
  const entries = await billed.published(AuditRecorded);
  expect(entries.at(-1)?.data.changes).toContainEqual({ field: 'taxIds', from: null, to: null });
  for (const text of ['Analytical', 'DE123456789', 'Invalidenstr', '4711'])
    expect(JSON.stringify([entries, await billed.published(CustomerUpdated)])).not.toContain(text);
  await billed.call('DELETE', `/customers/${billed.id}`);
  const [row] = await billed.em.fork().execute<[object]>('select * from customers');
  expect(JSON.stringify(row)).not.toMatch(/Analytical|DE123456789|Invalidenstr|4711/);
});

it('shows and changes details for the portal, without tax exemption, and finds those of no other project', async () => {
  await using billed = await startBilled();
  await billed.run();
  const own = { ...billed.scope, customerId: CustomerId.schema.parse(billed.id) };
  const wanted = { businessName: 'Engines', locale: 'de', taxIds: [VAT] };
  const audit = testAuditContext();
  const changed = await billed.rpc.call(UpdateBillingDetails, { ...own, wanted, audit });
  expect(changed).toMatchObject(wanted);
  expect(changed).not.toHaveProperty('taxExempt');
  expect(await billed.rpc.call(FindBillingDetails, own)).toEqual(changed);
  expect(await billed.rpc.call(FindCustomer, own)).toMatchObject({ locale: wanted.locale });
  const wrong = { ...own, wanted: { taxIds: [VAT, { ...VAT, value: 'DE1' }] }, audit };
  const refusal = { code: 'tax_id_invalid', details: { index: 1 } };
  await expect(billed.rpc.call(UpdateBillingDetails, wrong)).rejects.toMatchObject(refusal);
  const notFound = { code: 'customer_not_found' };
  for (const others of [
    { ...own, projectId: ProjectId.create() },
    { ...own, customerId: CustomerId.create() },
  ]) {
    await expect(billed.rpc.call(FindBillingDetails, others)).rejects.toMatchObject(notFound);
    await expect(billed.rpc.call(UpdateBillingDetails, { ...others, wanted, audit })).rejects.toMatchObject(notFound);
  }
});

it('names the details that differ from the account, without their values', async () => {
  await using billed = await startBilled();
  await billed.run();
  await billed.patch({ businessName: 'Engines' });
  await billed.dashboard.customers.update(billed.processorId, { business_name: 'Machines' });
  await billed.dashboard.customers.createTaxId(billed.processorId, { type: 'us_ein', value: EIN.value });
  const whole = { expand: ['tax', 'tax_ids'] };
  const { lastResponse: _, ...object } = await billed.dashboard.customers.retrieve(billed.processorId, whole);
  const compared = await billed.rpc.call(CompareObjects.customers, {
    ...billed.scope,
    type: 'customer',
    objects: [object],
  });
  expect(compared).toMatchObject([
    {
      outcome: 'different',
      fields: ['businessName', 'taxIds'].map(field => ({ field, ours: null, theirs: null })),
    },
  ]);
});
