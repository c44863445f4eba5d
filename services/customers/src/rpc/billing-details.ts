import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import { FindBillingDetails, UpdateBillingDetails } from '@billing/contracts/rpc/calls';
import { findBillingDetails, toResource } from '#operations/find-billing-details.ts';
import { updateBillingDetails } from '#operations/update-billing-details.ts';
import type { BillingDependencies } from '../dependencies.ts';

/** What customers see and change of their billing details in the portal. */
export function billingRpc(dependencies: BillingDependencies): RpcHandler[] {
  const find = findBillingDetails(dependencies);
  const update = updateBillingDetails(dependencies);
  return [
    rpcHandler(FindBillingDetails, async ({ customerId, ...scope }) => toResource(await find(scope, customerId))),
    rpcHandler(UpdateBillingDetails, async ({ customerId, wanted, audit, ...scope }) =>
      toResource(await update(scope, customerId, wanted, audit)),
    ),
  ];
}
