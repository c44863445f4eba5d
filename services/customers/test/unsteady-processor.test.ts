import { startTestService } from '@billing/service/testing/start-test-service';
import { expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { FaultRequest } from '@billing/local-processor/control';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { waitFor } from '@billing/testing/wait-for';
import { createCustomer } from '../src/operations/create-customer.ts';
import { openCustomersOperationLog } from '../src/operations/open-operation-log.ts';
import { customersService } from '../src/service.ts';
import { startCustomers, type Customers } from './start-customers.ts';

const CREATE = { method: 'POST', path: '/v1/customers' } as const;
const ADA = { email: 'ada@example.com', name: 'Ada', metadata: { plan: 'pro' } };

it.concurrent('frees the e-mail when the processor keeps failing', async () => {
  await using customers = await startCustomers();
  await customers.control.fail({ ...CREATE, mode: '500', times: 20 });
  const failed = await customers.call('POST', '/customers', { body: ADA });
  expect(failed).toMatchObject({ status: 502, body: { error: { code: 'processor_error' } } });
  expect(await customers.openOperations()).toEqual([]);
  expect(await customers.em.fork().execute('select 1 from customers')).toEqual([]);
  await customers.control.clearFaults();
  expect((await customers.call('POST', '/customers', { body: ADA })).status).toBe(201);
  expect(await customersAtProcessor(customers)).toHaveLength(1);
});

it.concurrent('frees the e-mail once the processor can be searched again', async () => {
  await using customers = await startCustomers();
  await customers.control.fail({ path: '/v1/customers', mode: '502html', times: 99 });
  const failed = await customers.call('POST', '/customers', { body: ADA });
  expect(failed).toMatchObject({ status: 502, body: { error: { code: 'processor_error' } } });
  expect(await customers.openOperations()).toMatchObject([{ keyClosedAt: expect.anything() }]);
  await customers.control.clearFaults();
  await customers.makeDue();
  await customers.reconcile();
  expect(await customers.openOperations()).toEqual([]);
  expect(await customersAtProcessor(customers)).toEqual([]);
  expect((await customers.call('POST', '/customers', { body: ADA })).status).toBe(201);
});

it.concurrent('creates one customer later when the responses of the processor are lost', async () => {
  await using customers = await startCustomers();
  for (const fault of lost(CREATE)) await customers.control.fail(fault);
  expect(await customers.call('POST', '/customers', { body: ADA })).toMatchObject({
    status: 503,
    body: { error: { code: 'unavailable' } },
  });
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
  expect(await customers.published(CustomerCreated)).toEqual([]);

  await customers.control.clearFaults();
  await using copy = await startTestService(customersService(), { besides: customers });
  await Promise.all([customers.run(), copy.run()]);
  const [customer] = await waitFor(
    async () => {
      const found = (await customers.call('GET', '/customers')).body.customers;
      return found.length > 0 && found;
    },
    { what: 'the customer' },
  );
  expect(customer).toMatchObject(ADA);
  expect(await customersAtProcessor(customers)).toEqual([customer.processorCustomerId]);
  expect(await customers.published(CustomerCreated)).toHaveLength(1);
  expect((await customers.call('POST', '/customers', { body: ADA })).status).toBe(409);
});

it.concurrent('returns the unfinished customer to a repeat of the same request', async () => {
  await using customers = await startCustomers();
  for (const fault of lost(CREATE)) await customers.control.fail(fault);
  expect((await customers.call('POST', '/customers', { body: ADA })).status).toBe(503);
  await customers.control.clearFaults();
  const again = await customers.call('POST', '/customers', { body: ADA });
  expect(again).toMatchObject({ status: 201, body: { customer: ADA } });
  expect(await customersAtProcessor(customers)).toEqual([again.body.customer.processorCustomerId]);
  expect(await customers.published(CustomerCreated)).toHaveLength(1);
});

it.concurrent('finishes what was left and refuses a different request for its e-mail', async () => {
  await using customers = await startCustomers();
  for (const fault of lost(CREATE)) await customers.control.fail(fault);
  expect((await customers.call('POST', '/customers', { body: ADA })).status).toBe(503);
  await customers.control.clearFaults();
  const other = await customers.call('POST', '/customers', { body: { ...ADA, name: 'Another' } });
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'customer_email_taken' } } });
  const list = async () => {
    const response = await customers.call('GET', '/customers');
    return response.status === 503 ? undefined : response;
  };
  expect(await waitFor(list, { what: 'the list of customers' })).toMatchObject({
    status: 200,
    body: { customers: [ADA] },
  });
});

it.concurrent('redelivers events about a customer that is being created', async () => {
  await using customers = await startCustomers();
  await dieWhileCreating(customers, 'after');
  const [created] = await customers.events('customer.created');
  if (!created) throw new Error('The processor sent no event of the customer.');
  await expect(customers.deliver(created)).rejects.toThrow('did not acknowledge');
  await customers.reconcile();
  await customers.deliver(created);
  expect(await customers.published(CustomerUpdated)).toEqual([]);
});

it.concurrent('cancels an operation that is too old to repeat, and frees the e-mail', async () => {
  await using customers = await startCustomers();
  await dieWhileCreating(customers, 'before');
  await customers.letPass('24 hours');
  await customers.reconcile();
  await customers.makeDue();
  await customers.reconcile();
  expect(await customers.openOperations()).toEqual([]);
  expect((await customers.call('POST', '/customers', { body: ADA })).status).toBe(201);
});

it.concurrent('holds both e-mails while a change is unfinished, then frees the old one', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  for (const fault of lost({ method: 'POST', path: '/v1/customers/' })) await customers.control.fail(fault);
  const change = { body: { email: 'new@example.com' } };
  expect((await customers.call('PATCH', `/customers/${id}`, change)).status).toBe(503);
  await customers.control.clearFaults();
  expect((await customers.call('GET', `/customers/${id}`)).body.customer.email).toBe('ada@example.com');
  for (const email of ['ada@example.com', 'new@example.com'])
    expect((await customers.call('POST', '/customers', { body: { email } })).status).toBe(409);
  await customers.run();
  await waitFor(
    async () => (await customers.call('GET', `/customers/${id}`)).body.customer.email === 'new@example.com',
    { what: 'the change' },
  );
  expect(await customers.processor.findCustomer(processorCustomerId)).toMatchObject({ email: 'new@example.com' });
  expect((await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).status).toBe(201);
  expect(await customers.published(CustomerUpdated)).toMatchObject([{ data: { id, version: 2 } }]);
});

it.concurrent('holds the e-mail of an unfinished change when events arrive', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  for (const fault of lost({ method: 'POST', path: '/v1/customers/' })) await customers.control.fail(fault);
  const change = { body: { email: 'new@example.com' } };
  expect((await customers.call('PATCH', `/customers/${id}`, change)).status).toBe(503);
  await customers.control.clearFaults();
  await customers.deliver(...(await customers.events('customer.created')));
  expect((await customers.call('POST', '/customers', change)).status).toBe(409);
});

it.concurrent('frees the new e-mail when the processor refuses a change', async () => {
  await using customers = await startCustomers();
  const customer = await customers.createCustomer();
  await customers.control.fail({ method: 'POST', path: '/v1/customers/', mode: '500', times: 20 });
  const change = { body: { email: 'new@example.com' } };
  expect((await customers.call('PATCH', `/customers/${customer.id}`, change)).status).toBe(502);
  expect((await customers.call('GET', `/customers/${customer.id}`)).body).toEqual({ customer });
  await customers.control.clearFaults();
  expect((await customers.call('POST', '/customers', { body: { email: 'new@example.com' } })).status).toBe(201);
  expect((await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).status).toBe(409);
});

it.concurrent('deletes a customer when a change shows that the processor deleted it', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.dashboard.customers.del(processorCustomerId);
  const change = { body: { name: 'Nobody' } };
  expect((await customers.call('PATCH', `/customers/${id}`, change)).status).toBe(404);
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect(await customers.published(CustomerDeleted)).toHaveLength(1);
  expect(await customers.openOperations()).toEqual([]);
});

it.concurrent('runs a change and a concurrent deletion one after the other', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  await customers.control.fail({ method: 'POST', path: '/v1/customers/', mode: 'slow', delayMs: 300 });
  const change = customers.call('PATCH', `/customers/${id}`, { body: { name: 'Ada' } });
  await waitFor(async () => (await customers.openOperations()).length > 0, { what: 'the operation to be logged' });
  const deletion = await customers.call('DELETE', `/customers/${id}`);
  expect([(await change).status, deletion.status]).toEqual([200, 200]);
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect(await customers.published(CustomerUpdated, CustomerDeleted)).toMatchObject([
    { type: 'record.customer.updated.v1', data: { version: 2 } },
    { type: 'record.customer.deleted.v1', data: { version: 3 } },
  ]);
});

/** The processor does the work, and then none of its responses arrive. */
function lost(call: { method: 'POST'; path: string }): FaultRequest[] {
  return [
    { ...call, mode: 'done-but-response-lost' },
    { ...call, mode: 'dropped', times: 20 },
  ];
}

async function customersAtProcessor({ control }: Customers): Promise<string[]> {
  const { objects } = await control.ledger();
  return objects.map(({ id }) => id).filter(id => id.startsWith('cus_'));
}

/** A process that dies just before or just after the processor does the work. */
async function dieWhileCreating(customers: Customers, when: 'before' | 'after'): Promise<void> {
  const { em, outbox, rpc, scope, processor, logger, now } = customers;
  const died = new Error('the process died');
  const dying = {
    of: async () => ({
      ...processor,
      createCustomer: async (...args: Parameters<typeof processor.createCustomer>) => {
        if (when === 'after') await processor.createCustomer(...args);
        throw died;
      },
    }),
  };
  const operationLog = openCustomersOperationLog({ outbox, processors: dying, rpc, logger, now });
  await expect(
    createCustomer({ em, outbox, operationLog, processors: dying, takeInBilling: async () => undefined, now })(
      scope,
      ADA,
      testAuditContext(),
    ),
  ).rejects.toBe(died);
  // A dead process does not release its lease: the lease ends.
  await customers.endLeases();
}
