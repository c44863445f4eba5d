import { expect, it } from 'vitest';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { TakeInBilling } from '@billing/contracts/rpc/calls';
import { startCustomers, type Customers } from './start-customers.ts';

const email = 'ada@example.com';

it('links to the processor’s customer with the same e-mail and completes it', async () => {
  await using customers = await startCustomers();
  const existing = await customers.dashboard.customers.create({ email, name: 'Old', metadata: { crm: '7' } });
  const customer = await customers.createCustomer({ email, name: 'Ada', metadata: { plan: 'pro' } });
  expect(customer).toMatchObject({
    processorCustomerId: existing.id,
    name: 'Ada',
    metadata: { crm: '7', plan: 'pro' },
  });
  expect(await customers.processor.findCustomer(existing.id)).toMatchObject({
    name: 'Ada',
    metadata: { crm: '7', plan: 'pro', ...customers.scope, customerId: customer.id },
  });
});

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']));

it.each<[string, number, string[]]>([
  ['there is no room for our keys', 50, []],
  ['the secret key may not write customers', 0, ['rak_customer_write']],
])('links a customer unmarked when %s', async (_case, count, lacking) => {
  await using customers = await startCustomers();
  const existing = await customers.dashboard.customers.create({ email, name: 'Old', metadata: keys(count) });
  const { id: refused } = await customers.dashboard.customers.create({ email: 'bob@example.com', metadata: keys(50) });
  await customers.control.restrictKey(customers.secretKey, lacking);
  const customer = await customers.createCustomer({ email, name: 'Ada', externalId: 'user-7' });
  const name = count === 0 ? 'Old' : 'Ada';
  expect(customer).toMatchObject({ processorCustomerId: existing.id, name, externalId: 'user-7' });
  expect(customer.metadata).toEqual(keys(count));
  expect(await customers.processor.findCustomer(existing.id)).toMatchObject({ name, metadata: keys(count) });

  // The copy of an external id is a mark, too.
  const change = { body: { externalId: 'user-8' } };
  const changed = await customers.call('PATCH', `/customers/${customer.id}`, change);
  expect([changed.status, changed.body.customer?.externalId]).toEqual([200, 'user-8']);

  // Without our keys its events find it by its id.
  await customers.control.restrictKey(customers.secretKey, []);
  await customers.control.advanceClock(5);
  await customers.dashboard.customers.update(existing.id, { name: 'New' });
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${customer.id}`)).body.customer.name).toBe('New');

  // What the caller asks to write is not left out.
  const wanted = { email: 'bob@example.com', metadata: { plan: 'pro' } };
  expect(await customers.call('POST', '/customers', { body: wanted })).toMatchObject({ status: 502 });
  expect(await customers.createCustomer({ email: wanted.email })).toMatchObject({ processorCustomerId: refused });
});

it('leaves ids of the tenant’s own that stand under our keys at the processor', async () => {
  await using customers = await startCustomers();
  const metadata = { projectId: 'acme', customerId: '42' };
  const existing = await customers.dashboard.customers.create({ email, metadata });
  const customer = await customers.createCustomer({ email, metadata: { plan: 'pro' } });
  expect(customer).toMatchObject({ processorCustomerId: existing.id, metadata: { plan: 'pro' } });
  const { teamId } = customers.scope;
  expect(await customers.processor.findCustomer(existing.id)).toMatchObject({
    metadata: { ...metadata, teamId, plan: 'pro' },
  });
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${customer.id}`)).body).toEqual({ customer });
});

it('finds the processor’s customer under the spelling that the caller gave, or in lower case', async () => {
  await using customers = await startCustomers();
  const make = async (spelling: string) => (await customers.dashboard.customers.create({ email: spelling })).id;
  const asGiven = await make('Ada@Example.com');
  const lowerCased = await make('bob@example.com');
  const linked = await customers.createCustomer({ email: ' Ada@Example.com ' });
  expect(linked).toMatchObject({ email, processorCustomerId: asGiven });
  expect(await customers.createCustomer({ email: 'Bob@Example.com' })).toMatchObject({
    email: 'bob@example.com',
    processorCustomerId: lowerCased,
  });
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${linked.id}`)).body).toEqual({ customer: linked });
});

it('prefers one with a live subscription among those of the same kind', async () => {
  await using customers = await startCustomers();
  const [ended, live, unused] = [await subscriber(customers), await subscriber(customers), await make()];
  await customers.dashboard.subscriptions.cancel(ended.subscription);
  await customers.control.advanceClock(10);
  const calls = async () => Object.entries((await customers.control.ledger()).calls).filter(isSubscriptionList);
  expect((await customers.createCustomer({ email })).processorCustomerId).toBe(live.id);
  expect(await calls()).not.toEqual([]);
  // The unused one is the only one left of its kind after the ended one: nothing is looked up.
  await customers.dashboard.customers.del(ended.id);
  const before = await calls();
  const of = { ...customers.scope, projectId: ProjectId.create() };
  expect((await customers.createCustomer({ email }, of)).processorCustomerId).toBe(unused);
  expect(await calls()).toEqual(before);

  async function make(): Promise<string> {
    await customers.control.advanceClock(10);
    return (await customers.dashboard.customers.create({ email })).id;
  }
});

it('has the billing of a linked customer taken in before it responds', async () => {
  await using customers = await startCustomers();
  const calls: unknown[] = [];
  await customers.serve(TakeInBilling, async ({ teamId, customer }) => {
    calls.push({ teamId, ...customer });
    return { isComplete: true };
  });
  const existing = await customers.dashboard.customers.create({ email });
  const { id } = await customers.createCustomer({ email });
  const { teamId, projectId } = customers.scope;
  const link = { processorCustomerId: existing.id, linkedToExisting: true };
  expect(calls).toMatchObject([{ teamId, projectId, id, ...link }]);
  expect(await customers.published(CustomerCreated)).toMatchObject([{ data: { id, ...link } }]);
  await customers.createCustomer({ email: 'bob@example.com' });
  expect(calls).toHaveLength(1);
  expect((await customers.published(CustomerCreated)).at(-1)?.data.linkedToExisting).toBe(false);
});

it('links although the subscriptions service fails', async () => {
  await using customers = await startCustomers();
  await customers.serve(TakeInBilling, async () => {
    throw new Error('no');
  });
  const existing = await customers.dashboard.customers.create({ email });
  expect((await customers.createCustomer({ email })).processorCustomerId).toBe(existing.id);
});

it('keeps the processor’s name when none is given', async () => {
  await using customers = await startCustomers();
  await customers.dashboard.customers.create({ email, name: 'Ada' });
  expect(await customers.createCustomer({ email })).toMatchObject({ name: 'Ada' });
});

it('prefers a customer of this project, then an unmarked one, then the oldest', async () => {
  await using customers = await startCustomers();
  const { teamId, projectId } = customers.scope;
  const theirs = { teamId, projectId: ProjectId.create() };
  const make = async (metadata: Record<string, string>) => {
    const { id } = await customers.dashboard.customers.create({ email, metadata });
    await customers.control.advanceClock(10);
    return id;
  };
  const oldest = await make(theirs);
  await make(theirs);
  const unnamed = await make({});
  await make({});
  const ours = await make({ teamId, projectId });
  const chosen = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const customer = await customers.createCustomer({ email });
    chosen.push(customer.processorCustomerId);
    await customers.call('DELETE', `/customers/${customer.id}`);
    await customers.dashboard.customers.del(customer.processorCustomerId);
    if (turn === 1) await deleteUnnamed();
  }
  expect(chosen).toEqual([ours, unnamed, oldest]);

  async function deleteUnnamed(): Promise<void> {
    const rest = await customers.processor.listCustomersByEmail(email);
    for (const { id, metadata } of rest) if (!metadata['projectId']) await customers.dashboard.customers.del(id);
  }
});

it.each([
  ['project', { projectId: ProjectId.create() }],
  ['team', { teamId: TeamId.create() }],
])('leaves the metadata of another %s’s customer alone, and keeps ours here', async (_whose, theirs) => {
  await using customers = await startCustomers();
  const metadata = { customerId: 'pc_theirs', theirs: 'secret', ...theirs };
  const { id } = await customers.dashboard.customers.create({ email, metadata });
  const customer = await customers.createCustomer({ email, metadata: { plan: 'pro' } });
  expect(customer.processorCustomerId).toBe(id);
  expect(customer.metadata).toEqual({ plan: 'pro' });
  const body = { name: 'Ada', metadata: { plan: 'team' } };
  const changed = await customers.call('PATCH', `/customers/${customer.id}`, { body });
  expect(changed.body.customer).toMatchObject({ name: 'Ada' });
  expect(changed.body.customer.metadata).toEqual({ plan: 'team' });
  const atProcessor = await customers.processor.findCustomer(id);
  expect(atProcessor).toMatchObject({ name: 'Ada' });
  expect(atProcessor).toHaveProperty('metadata', metadata);
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${customer.id}`)).body.customer.metadata).toEqual({ plan: 'team' });
});

it('does not link two customers of a project to one at the processor', async () => {
  await using customers = await startCustomers();
  const first = await customers.createCustomer({ email });
  await customers.dashboard.customers.update(first.processorCustomerId, { email: 'bob@example.com' });
  const second = await customers.createCustomer({ email: 'bob@example.com' });
  expect(second.processorCustomerId).not.toBe(first.processorCustomerId);
});

/** A customer with a subscription that this service has not made. */
async function subscriber({ control, dashboard }: Customers): Promise<{ id: string; subscription: string }> {
  const { id } = await dashboard.customers.create({ email });
  const recurring = { interval: 'month' } as const;
  const { id: product } = await dashboard.products.create({ name: 'Pro' });
  const { id: priceId } = await dashboard.prices.create({ product, unit_amount: 2_999, currency: 'usd', recurring });
  const session = await dashboard.checkout.sessions.create({
    mode: 'subscription',
    customer: id,
    line_items: [{ price: priceId, quantity: 1 }],
    success_url: 'https://shop.example/ok',
    cancel_url: 'https://shop.example/no',
  });
  await control.checkout(session.id);
  const [subscription] = (await dashboard.subscriptions.list({ customer: id })).data;
  if (!subscription) throw new Error('The checkout created no subscription.');
  return { id, subscription: subscription.id };
}

const isSubscriptionList = ([path]: [string, unknown]) => path.includes('/v1/subscriptions') && path.includes('GET');
