import { customersOperations as operations } from '@billing/contracts/operations/customers';
import { paginate } from '@billing/contracts/pagination';
import type { Customer as WireCustomer } from '@billing/contracts/resources/customer';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createCustomer } from '#operations/create-customer.ts';
import { deleteCustomer } from '#operations/delete-customer.ts';
import { findCustomer } from '#operations/find-customer.ts';
import { listCustomers } from '#operations/list-customers.ts';
import { updateCustomer } from '#operations/update-customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import type { Dependencies } from '../app.ts';

/** What may be asked about customers. */
export function customerRoutes(app: HttpServer, { database: { em }, journal }: Dependencies): void {
  const create = createCustomer(em, journal);
  const update = updateCustomer(em, journal);
  const remove = deleteCustomer(journal);

  serve(app, operations.listCustomers, async ({ params, query }) => {
    const [customers, total] = await listCustomers(em.fork(), params, query);
    return { customers: customers.map(onWire), pagination: paginate(query, customers.length, total) };
  });

  serve(app, operations.createCustomer, async ({ params, body, operationKey }) => ({
    customer: onWire(await create(params, body, operationKey ?? null)),
  }));

  serve(app, operations.getCustomer, async ({ params: { customerId, ...scope } }) => ({
    customer: onWire(await findCustomer(em.fork(), scope, customerId)),
  }));

  serve(app, operations.updateCustomer, async ({ params: { customerId, ...scope }, body }) => ({
    customer: onWire(await update(scope, customerId, body)),
  }));

  serve(app, operations.deleteCustomer, async ({ params: { customerId, ...scope } }) => {
    await remove(scope, customerId);
    return { success: true };
  });
}

function onWire(customer: LinkedCustomer): WireCustomer {
  const { id, email, name, processorCustomerId, metadata, projectId, createdAt, updatedAt } = customer;
  const named = name === null ? {} : { name };
  return { id, email, ...named, processorCustomerId, metadata, projectId, createdAt, updatedAt };
}
