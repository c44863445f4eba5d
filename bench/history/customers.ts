import { poll } from '../poll.ts';
import type { Tenant } from '../tenant.ts';
import type { HistoryCustomer } from './history.ts';

const PARALLEL = 16;

/** Creates customers through the API, and waits until analytics counts them, so that no background work is left. */
export async function newCustomers(
  { billing }: Tenant,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<HistoryCustomer[]> {
  const customers: HistoryCustomer[] = [];
  let next = first;
  const create = async () => {
    while (next < first + count) {
      const number = next;
      next += 1;
      const { id, processorCustomerId, email } = await billing.customers.create({
        email: `customer-${number}@example.com`,
        name: 'Bench',
      });
      if (email === null) throw new Error('The customer was created with an e-mail.');
      customers.push({ number, customerId: id, processorCustomerId, email });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, create));
  await poll(
    async () => (await billing.analytics.get()).customerCount === count,
    `analytics to count ${count} customers`,
  );
  return customers.toSorted((one, other) => one.number - other.number);
}
