import type { CustomerState } from '@billing/contracts/events/customers';
import { TestClockId } from '@billing/contracts/ids';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

/** Creates five customers, and deletes the second one. */
async function createFive(customers: Awaited<ReturnType<typeof startCustomers>>): Promise<string[]> {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    ids.push((await customers.createCustomer({ email: `${name}@example.com` })).id);
  await customers.call('DELETE', `/customers/${ids[1]}`);
  return ids;
}

it('lists every customer state once, page by page, with deleted ones', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const ids = await createFive(customers);
  // Rows with one creation time, more exact than a Date, are split over pages too.
  await customers.em.fork().execute(`update customers set created_at = '2026-01-01T00:00:00.000456Z'`);

  const fetchPage = (after: string | null) =>
    customers.rpc.call(ListCustomerStates, { ...customers.scope, after, limit: 2 });
  const received: CustomerState[] = [];
  for (let page = await fetchPage(null); received.length <= ids.length; page = await fetchPage(page.next)) {
    received.push(...page.records.map(({ state }) => state));
    if (page.next === null) break;
  }

  expect(received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(received.find(({ id }) => id === ids[1])).toMatchObject({ version: 2, deletedAt: expect.any(Date) });
  expect(received.find(({ id }) => id === ids[0])).toMatchObject({
    version: 1,
    deletedAt: null,
    email: 'a@example.com',
  });
});

it('lists the live records for a sync once, page by page, without deleted, reserved and clocked ones', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const ids = await createFive(customers);
  await customers.em.fork().execute(`update customers set processor_id = null where id = ?`, [ids[3]]);
  await customers.em
    .fork()
    .execute(`update customers set test_clock_id = ? where id = ?`, [TestClockId.create(), ids[4]]);

  const request = { ...customers.scope, type: 'customer', limit: 2 } as const;
  const received: string[] = [];
  let after: string | null = null;
  do {
    const page: { records: { id: string }[]; next: string | null } = await customers.rpc.call(
      ListLiveRecords.customers,
      { ...request, after },
    );
    expect(page.records.length).toBeLessThanOrEqual(2);
    received.push(...page.records.map(({ id }) => id));
    after = page.next;
  } while (after !== null);

  expect(received).toEqual([ids[0], ids[2]]);
});
