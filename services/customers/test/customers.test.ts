import { expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { FindCustomer, FindCustomerByExternalId, FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import { startCustomers, type Customers } from './start-customers.ts';

it('creates a customer at the processor and here, and publishes one event', async () => {
  await using customers = await startCustomers();
  const { teamId, projectId } = customers.scope;
  const body = { email: '  Ada@Example.COM ', name: 'Ada', metadata: { plan: 'pro' } };
  const created = await customers.call('POST', '/customers', { body });
  expect(created.status).toBe(201);
  const { customer } = created.body;
  expect(customer).toEqual({
    id: expect.stringMatching(/^pc_/),
    email: 'ada@example.com',
    name: 'Ada',
    processorCustomerId: expect.stringMatching(/^cus_/),
    metadata: { plan: 'pro' },
    projectId,
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: customer.createdAt,
  });
  expect(await customers.processor.findCustomer(customer.processorCustomerId)).toMatchObject({
    email: 'ada@example.com',
    name: 'Ada',
    metadata: { plan: 'pro', teamId, projectId, customerId: customer.id },
  });
  expect((await customers.call('GET', `/customers/${customer.id}`)).body).toEqual({ customer });
  expect(await customers.published()).toEqual([
    {
      id: expect.any(String),
      type: 'record.customer.created.v1',
      teamId,
      data: {
        ...customer,
        externalId: null,
        linkedToExisting: false,
        balance: null,
        discountId: null,
        testClock: null,
        version: 1,
        deletedAt: null,
        change: expect.objectContaining({ types: ['customer.created'], sequence: 1, previousAttributes: null }),
      },
    },
  ]);
});

it('takes every address and name that the processor takes, and finds them in another form of Unicode', async () => {
  await using customers = await startCustomers();
  const email = 'J\u00f6rg&Co/#=!%{?|}@b\u00fccher.example';
  const decomposed = { email: email.normalize('NFD'), name: 'J\u00f6rg'.normalize('NFD') };
  const created = await customers.call('POST', '/customers', { body: decomposed });
  const { id, processorCustomerId } = created.body.customer;
  const composed = { email: email.toLowerCase(), name: 'J\u00f6rg' };
  expect(created).toMatchObject({ status: 201, body: { customer: composed } });
  expect(await customers.processor.findCustomer(processorCustomerId)).toMatchObject(composed);
  for (const query of [{ email: email.normalize('NFD') }, { search: 'j\u00f6rg' }, { search: 'jo\u0308rg' }]) {
    const found = await customers.call('GET', `/customers?${new URLSearchParams(query).toString()}`);
    expect(found.body.customers).toMatchObject([{ id }]);
  }
  expect((await customers.call('POST', '/customers', { body: { email: decomposed.email } })).status).toBe(409);
});

it('allows an e-mail once per project, whatever its case', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer();
  const taken = await customers.call('POST', '/customers', { body: { email: 'ADA@example.com' } });
  expect(taken).toMatchObject({ status: 409, body: { error: { code: 'customer_email_taken' } } });
  const { id } = await customers.createCustomer({ email: 'bob@example.com' });
  expect(await customers.call('PATCH', `/customers/${id}`, { body: { email: 'Ada@Example.com' } })).toMatchObject({
    status: 409,
    body: { error: { code: 'customer_email_taken' } },
  });
  const of = { ...customers.scope, projectId: ProjectId.create() };
  expect((await customers.call('POST', '/customers', { of, body: { email: 'ada@example.com' } })).status).toBe(201);
});

it('lets one of twenty concurrent creations of an e-mail win', async () => {
  await using customers = await startCustomers();
  const spellings = ['ada@example.com', 'Ada@example.com', 'ADA@EXAMPLE.COM', ' ada@example.com '];
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      customers.call('POST', '/customers', { body: { email: spellings[index % spellings.length] } }),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter(status => status === 201)).toHaveLength(1);
  expect(statuses.filter(status => status === 409)).toHaveLength(19);
  expect(await customersAtProcessor(customers)).toHaveLength(1);
  expect(await customers.published(CustomerCreated)).toHaveLength(1);
});

it('changes a customer at the processor and here, and replaces metadata', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId, updatedAt } = await customers.createCustomer({
    email: 'ada@example.com',
    name: 'Ada',
    metadata: { keep: '1', drop: '2' },
  });
  const body = { email: 'Countess@Example.com', metadata: { keep: '3', fresh: '4' } };
  const changed = await customers.call('PATCH', `/customers/${id}`, { body });
  expect(changed.status).toBe(200);
  const { customer } = changed.body;
  expect(customer).toMatchObject({ id, email: 'countess@example.com', name: 'Ada' });
  expect(customer.metadata).toEqual({ keep: '3', fresh: '4' });
  expect(Date.parse(customer.updatedAt)).toBeGreaterThan(Date.parse(updatedAt));
  const atProcessor = await customers.processor.findCustomer(processorCustomerId);
  expect(atProcessor).toMatchObject({ email: 'countess@example.com', name: 'Ada' });
  expect(atProcessor).toMatchObject({ metadata: { keep: '3', fresh: '4', ...customers.scope, customerId: id } });
  expect(atProcessor).not.toHaveProperty('metadata.drop');
  expect(await customers.published(CustomerUpdated)).toMatchObject([
    { data: { id, email: 'countess@example.com', version: 2 } },
  ]);
  expect((await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).status).toBe(201);
  expect((await customers.call('POST', '/customers', { body: { email: 'countess@example.com' } })).status).toBe(409);
});

it('clears a name here and at the processor', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'ada@example.com', name: 'Ada' });
  const cleared = await customers.call('PATCH', `/customers/${id}`, { body: { name: null } });
  expect(cleared.status).toBe(200);
  expect(cleared.body.customer).not.toHaveProperty('name');
  expect((await customers.dashboard.customers.retrieve(processorCustomerId)) as object).toMatchObject({ name: null });
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${id}`)).body).toEqual(cleared.body);
  expect(await customers.published(CustomerUpdated)).toMatchObject([{ data: { name: null, version: 2 } }]);
});

it('never fails when changes and deletions of a customer race', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  const path = `/customers/${id}`;
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      index % 3 === 2
        ? customers.call('DELETE', path)
        : customers.call('PATCH', path, { body: { name: `Name ${index}`, externalId: `user-${index}` } }),
    ),
  );
  for (const { status } of responses) expect([200, 404]).toContain(status);
  expect((await customers.call('GET', path)).status).toBe(404);
  expect(await customers.published(CustomerDeleted)).toHaveLength(1);
  expect(await customers.em.fork().execute('select 1 from customer_identifiers')).toEqual([]);
});

it('accepts its own e-mail and an empty patch without conflict', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  for (const body of [{ email: 'ADA@example.com' }, {}])
    expect(await customers.call('PATCH', `/customers/${id}`, { body })).toMatchObject({
      status: 200,
      body: { customer: { email: 'ada@example.com' } },
    });
  expect(await customers.published(CustomerUpdated)).toEqual([]);
});

it('lets one of several concurrent changes to an e-mail win', async () => {
  await using customers = await startCustomers();
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, index) => customers.createCustomer({ email: `c${index}@example.com` })),
  );
  const responses = await Promise.all(
    made.map(({ id }) => customers.call('PATCH', `/customers/${id}`, { body: { email: 'one@example.com' } })),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
  expect(await customers.processor.listCustomersByEmail('one@example.com')).toHaveLength(1);
});

it('deletes a customer here, keeps the processor’s, and frees the e-mail', async () => {
  await using customers = await startCustomers();
  const customer = await customers.createCustomer();
  expect(await customers.call('DELETE', `/customers/${customer.id}`)).toMatchObject({
    status: 200,
    body: { success: true },
  });
  expect(await customers.processor.findCustomer(customer.processorCustomerId)).toMatchObject({ deleted: false });
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Back' }], ['DELETE']] as const)
    expect(await customers.call(method, `/customers/${customer.id}`, body ? { body } : {})).toMatchObject({
      status: 404,
      body: { error: { code: 'customer_not_found' } },
    });
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
  expect(await customers.published(CustomerDeleted)).toMatchObject([
    { data: { id: customer.id, version: 2, deletedAt: expect.any(Date) } },
  ]);

  const again = await customers.createCustomer();
  expect(again.id).not.toBe(customer.id);
  expect(again.processorCustomerId).toBe(customer.processorCustomerId);
  expect(await customers.processor.findCustomer(again.processorCustomerId)).toMatchObject({
    metadata: { customerId: again.id },
  });
});

it('deletes while the processor is not connected', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  customers.disconnected.add(customers.scope.teamId);
  expect((await customers.call('DELETE', `/customers/${id}`)).status).toBe(200);
});

it('responds to another project’s customer as to a missing one', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const { id } = await customers.createCustomer();
  const otherScope = { ...customers.scope, projectId: ProjectId.create() };
  const headers = { 'x-request-id': 'r1' };
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { body: { name: 'Mine' } } : {};
    const foreign = await customers.call(method, `/customers/${id}`, { of: otherScope, headers, ...body });
    const absent = await customers.call(method, `/customers/${CustomerId.create()}`, {
      of: otherScope,
      headers,
      ...body,
    });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text);
  }
  expect((await customers.call('GET', '/customers', { of: otherScope })).body.customers).toEqual([]);
  expect(await customers.rpc.call(FindCustomer, { ...otherScope, customerId: id })).toBeNull();
});

it('returns a customer, and all holders of a processor customer, to other services', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const { teamId } = customers.scope;
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'ada@example.com', externalId: 'ada' });
  const of = { teamId, projectId: ProjectId.create() };
  const shared = await customers.createCustomer({ email: 'ada@example.com' }, of);
  expect(shared.processorCustomerId).toBe(processorCustomerId);

  expect(await customers.rpc.call(FindCustomer, { ...customers.scope, customerId: id })).toMatchObject({
    id,
    email: 'ada@example.com',
    processorCustomerId,
  });
  const byExternalId = (externalId: string, scope = customers.scope) =>
    customers.rpc.call(FindCustomerByExternalId, { ...scope, externalId });
  expect(await byExternalId('ada')).toMatchObject({ id });
  expect([await byExternalId('bob'), await byExternalId('ada', of)]).toEqual([null, null]);
  const holders = await customers.rpc.call(FindCustomersByProcessorId, { teamId, processorCustomerId });
  expect(holders.map(holder => holder.projectId).toSorted()).toEqual(
    [customers.scope.projectId, of.projectId].toSorted(),
  );
  await customers.call('DELETE', `/customers/${id}`);
  expect(await customers.rpc.call(FindCustomer, { ...customers.scope, customerId: id })).toBeNull();
  expect(await byExternalId('ada')).toBeNull();
  expect(await customers.rpc.call(FindCustomersByProcessorId, { teamId, processorCustomerId })).toMatchObject([
    { id: shared.id },
  ]);
});

it('names every invalid field', async () => {
  await using customers = await startCustomers();
  for (const [body, fields] of [
    [{}, ['email']],
    [{ email: 'nobody' }, ['email']],
    [{ email: 'a@example.com', name: '', phone: '1' }, ['name', 'phone']],
    [{ email: 'a@example.com', metadata: { customerId: 'pc_1' } }, ['metadata.customerId']],
  ] as const) {
    const refused = await customers.call('POST', '/customers', { body });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    const paths = refused.body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual([...fields]);
  }
});

it('reserves nothing while the processor is not connected', async () => {
  await using customers = await startCustomers();
  customers.disconnected.add(customers.scope.teamId);
  expect(await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).toMatchObject({
    status: 409,
    body: { error: { code: 'processor_not_connected' } },
  });
  expect(await customers.em.fork().execute('select 1 from customer_identifiers')).toEqual([]);
});

async function customersAtProcessor({ control }: Customers): Promise<string[]> {
  const { objects } = await control.ledger();
  return objects.map(({ id }) => id).filter(id => id.startsWith('cus_'));
}
