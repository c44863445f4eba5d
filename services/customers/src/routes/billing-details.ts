import { customersOperations as operations } from '@billing/contracts/operations/customers';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { findBillingDetails, toResource } from '#operations/find-billing-details.ts';
import { updateBillingDetails } from '#operations/update-billing-details.ts';
import type { BillingDependencies } from '../dependencies.ts';

/** The HTTP surface of billing details, apart from that of customers. */
export function billingRoutes(dependencies: BillingDependencies): (app: HttpServer) => void {
  const find = findBillingDetails(dependencies);
  const update = updateBillingDetails(dependencies);

  return app => {
    serve(app, operations.getBillingDetails, async ({ params: { customerId, ...scope } }) => ({
      billingDetails: toResource(await find(scope, customerId)),
    }));

    serve(app, operations.updateBillingDetails, async ({ params: { customerId, ...scope }, body, audit }) => ({
      billingDetails: toResource(await update(scope, customerId, body, audit)),
    }));
  };
}
