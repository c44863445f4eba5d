import { expect, it } from 'vitest';
import { CustomerCreated, CustomerUpdated } from '@billing/contracts/events/customers';
import { ProjectId } from '@billing/contracts/ids';
import { startCustomers, type Customers } from './start-customers.ts';

const taken = { status: 409, body: { error: { code: 'customer_external_id_taken' } } };

it('keeps an external id here and in the metadata at the processor', async () => {
  await using customers = await startCustomers();
  const body = { email: 'ada@example.com', externalId: 'user-7', metadata: { plan: 'pro' } };
  const created = await customers.createCustomer(body);
  expect(created).toMatchObject({ externalId: 'user-7', metadata: { plan: 'pro' } });
  expect(created.metadata).not.toHaveProperty('externalId');
  expect(await metadataOf(customers, created)).toMatchObject({ externalId: 'user-7', plan: 'pro' });

  const changed = await customers.call('PATCH', `/customers/${created.id}`, {
    body: { externalId: 'user-8', metadata: { vip: 'yes' } },
  });
  expect(changed.body.customer).toMatchObject({ externalId: 'user-8', metadata: { vip: 'yes' } });
  expect(await metadataOf(customers, created)).toMatchObject({ externalId: 'user-8', vip: 'yes' });

  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${created.id}`)).body).toEqual(changed.body);
  expect(await customers.published(CustomerUpdated)).toHaveLength(1);

  const cleared = await customers.call('PATCH', `/customers/${created.id}`, { body: { externalId: null } });
  expect(cleared.body.customer).not.toHaveProperty('externalId');
  expect(await metadataOf(customers, created)).not.toHaveProperty('externalId');
  expect((await customers.createCustomer({ email: 'bob@example.com', externalId: 'user-8' })).externalId).toBe(
    'user-8',
  );
});

it('lets one of twenty concurrent creations with an external id win', async () => {
  await using customers = await startCustomers();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      customers.call('POST', '/customers', { body: { email: `c${index}@example.com`, externalId: 'user-7' } }),
    ),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const response of responses.filter(({ status }) => status !== 201)) expect(response).toMatchObject(taken);
  expect(await customers.published(CustomerCreated)).toHaveLength(1);
  // The e-mails of the others are free.
  expect((await customers.call('GET', '/customers')).body.pagination.total).toBe(1);
  expect(await customers.em.fork().execute('select 1 from customer_identifiers')).toHaveLength(2);
});

it('lets one of several concurrent changes to an external id win', async () => {
  await using customers = await startCustomers();
  const emails = Array.from({ length: 6 }, (_, index) => `c${index}@example.com`);
  const created = await Promise.all(emails.map(email => customers.createCustomer({ email })));
  const responses = await Promise.all(
    created.map(({ id }) => customers.call('PATCH', `/customers/${id}`, { body: { externalId: 'user-7' } })),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
});

it('allows an external id once per project, and again after a deletion', async () => {
  await using customers = await startCustomers();
  const body = { email: 'ada@example.com', externalId: 'user-7' };
  const { id } = await customers.createCustomer(body);
  const other = { email: 'bob@example.com', externalId: 'user-7' };
  expect(await customers.call('POST', '/customers', { body: other })).toMatchObject(taken);
  const of = { ...customers.scope, projectId: ProjectId.create() };
  expect((await customers.call('POST', '/customers', { of, body: other })).status).toBe(201);
  await customers.call('DELETE', `/customers/${id}`);
  expect((await customers.call('POST', '/customers', { body: other })).status).toBe(201);
});

it('frees an external id when the processor refuses the change', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  await customers.control.fail({ method: 'POST', path: '/v1/customers/', mode: '500', times: 20 });
  const change = { body: { externalId: 'user-7' } };
  expect((await customers.call('PATCH', `/customers/${id}`, change)).status).toBe(502);
  await customers.control.clearFaults();
  const other = { email: 'bob@example.com', externalId: 'user-7' };
  expect((await customers.call('POST', '/customers', { body: other })).status).toBe(201);
});

it('ignores an external id that is written at the processor', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer({
    email: 'ada@example.com',
    externalId: 'user-7',
  });
  await customers.control.advanceClock(2);
  const metadata = { externalId: 'theirs', vip: 'yes' };
  await customers.dashboard.customers.update(processorCustomerId, { metadata });
  await customers.deliver(...(await customers.events()));
  const { customer } = (await customers.call('GET', `/customers/${id}`)).body;
  expect(customer).toMatchObject({ externalId: 'user-7' });
  expect(customer.metadata).toEqual({ vip: 'yes' });
});

it('keeps the external id of a shared customer here only', async () => {
  await using customers = await startCustomers();
  const { teamId } = customers.scope;
  const metadata = { teamId, projectId: ProjectId.create(), externalId: 'theirs' };
  const { id } = await customers.dashboard.customers.create({ email: 'ada@example.com', metadata });
  const customer = await customers.createCustomer({ email: 'ada@example.com', externalId: 'user-7' });
  expect(customer).toMatchObject({ processorCustomerId: id, externalId: 'user-7' });
  const change = { body: { externalId: 'user-8' } };
  expect((await customers.call('PATCH', `/customers/${customer.id}`, change)).body.customer.externalId).toBe('user-8');
  expect(await metadataOf(customers, customer)).toEqual(metadata);
});

it('filters the list by e-mail, in any case, and by external id', async () => {
  await using customers = await startCustomers();
  const ada = await customers.createCustomer({ email: 'ada@example.com', externalId: 'user-7' });
  await customers.createCustomer({ email: 'bob@example.com', externalId: 'user-8' });
  const list = async (query: string) => {
    const { body } = await customers.call('GET', `/customers${query}`);
    return [body.customers.map(({ id }: { id: string }) => id), body.pagination.total];
  };
  expect(await list('?email=ADA@Example.com')).toEqual([[ada.id], 1]);
  expect(await list('?externalId=user-7')).toEqual([[ada.id], 1]);
  expect(await list('?externalId=user-7&email=ada@example.com')).toEqual([[ada.id], 1]);
  expect(await list('?externalId=user-8&email=ada@example.com')).toEqual([[], 0]);
  expect(await list('?externalId=USER-7')).toEqual([[], 0]);
  expect((await customers.call('GET', '/customers?email=nobody')).status).toBe(400);
  const of = { ...customers.scope, projectId: ProjectId.create() };
  expect((await customers.call('GET', '/customers?externalId=user-7', { of })).body.customers).toEqual([]);
});

it.each([{ externalId: '' }, { externalId: 'x'.repeat(256) }, { metadata: { externalId: 'x' } }])(
  'rejects a creation with %j',
  async fields => {
    await using customers = await startCustomers();
    const body = { email: 'ada@example.com', ...fields };
    expect((await customers.call('POST', '/customers', { body })).status).toBe(400);
  },
);

async function metadataOf({ processor }: Customers, { processorCustomerId }: { processorCustomerId: string }) {
  const found = await processor.findCustomer(processorCustomerId);
  return found.deleted ? null : found.metadata;
}
