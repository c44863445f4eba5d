import { CustomerCreated } from '@billing/contracts/events/customers';
import { expect, it } from 'vitest';
import { startCustomers, type Customers } from './start-customers.ts';

const GIVEN = { email: 'Ada@example.com', name: 'Ada', externalId: 'crm-1', metadata: { vip: 'yes' } };

/** Loses every customer, as the restore of a backup from `minutes` ago does. */
async function loseCustomers({ em }: Customers, minutes: number): Promise<void> {
  const sql = em.fork();
  await sql.execute('delete from customers');
  await sql.execute('delete from customer_identifiers');
  await sql.execute(`insert into restores (restored_at, taken_at) values (now(), now() - make_interval(mins => ?))`, [
    minutes,
  ]);
}

it('creates a customer again that was created after the restored backup', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer(GIVEN);
  const before = (await customers.call('GET', `/customers/${id}`)).body.customer;
  const events = await customers.events();
  await loseCustomers(customers, 5);
  // Delivered twice, and in one batch.
  await customers.deliver(...events, ...events);
  await customers.deliver(...events);
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...same } = before;
  expect((await customers.call('GET', `/customers/${id}`)).body.customer).toMatchObject(same);
  // Subscriptions reads what the processor has billed it.
  expect((await customers.published(CustomerCreated)).at(-1)).toMatchObject({ data: { id, linkedToExisting: true } });
  expect((await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).status).toBe(409);
});

it('leaves a customer lost whose e-mail is another’s by now', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer(GIVEN);
  const events = await customers.events();
  await loseCustomers(customers, 5);
  await customers.em
    .fork()
    .execute(
      `insert into customer_identifiers (team_id, project_id, kind, value, customer_id) values (?, ?, 'email', ?, 'pc_other')`,
      [customers.scope.teamId, customers.scope.projectId, 'ada@example.com'],
    );
  await customers.deliver(...events);
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
});

it('creates no customer of an event alone without a restore, or of before the backup', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer(GIVEN);
  const events = await customers.events();
  await loseCustomers(customers, -60);
  await customers.deliver(...events);
  await customers.em.fork().execute('delete from restores');
  await customers.deliver(...events);
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
});
