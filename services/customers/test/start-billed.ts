import { startCustomers } from './start-customers.ts';

/** A customer, and calls about its billing details. */
export async function startBilled() {
  const customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  const path = `/customers/${id}/billing-details`;
  return {
    ...customers,
    customers,
    id,
    processorId: processorCustomerId as string,
    get: async () => (await customers.call('GET', path)).body.billingDetails,
    patch: (body: object) => customers.call('PATCH', path, { body }),
    taxIds: async () => {
      const { data } = await customers.dashboard.customers.listTaxIds(processorCustomerId, { limit: 100 });
      return data.map(({ type, value }) => ({ type, value })).toSorted((a, b) => (a.value < b.value ? -1 : 1));
    },
    [Symbol.asyncDispose]: () => customers[Symbol.asyncDispose](),
  };
}
