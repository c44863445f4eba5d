import { customersOperations as operations } from '@billing/contracts/operations/customers';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createCustomer } from '#operations/create-customer.ts';
import { deleteCustomer } from '#operations/delete-customer.ts';
import { listCustomers } from '#operations/list-customers.ts';
import { updateCustomer } from '#operations/update-customer.ts';
import { toResource } from '#domain/customer.ts';
import { customers } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of customers. */
export function customerRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies;
  const list = listCustomers(dependencies);
  const create = createCustomer(dependencies);
  const update = updateCustomer(dependencies);
  const remove = deleteCustomer(dependencies);

  return app => {
    serve(app, operations.listCustomers, async ({ params, query }) => {
      const [found, pagination] = await list(params, query);
      return { customers: found.map(toResource), pagination };
    });

    serve(app, operations.createCustomer, async ({ params, body, audit, operationKey }) => ({
      customer: toResource(await create(params, body, audit, operationKey)),
    }));

    serve(app, operations.getCustomer, async ({ params: { customerId, ...scope } }) => ({
      customer: toResource(await customers.find(em.fork(), scope, customerId)),
    }));

    serve(app, operations.updateCustomer, async ({ params: { customerId, ...scope }, body, audit }) => ({
      customer: toResource(await update(scope, customerId, body, audit)),
    }));

    serve(app, operations.deleteCustomer, async ({ params: { customerId, ...scope }, audit }) => {
      await remove(scope, customerId, audit);
      return { success: true };
    });
  };
}
