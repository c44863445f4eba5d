import { Problem } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { PortalBillingDetails, PortalBillingDetailsUpdate } from '@billing/contracts/resources/billing-details';
import { FindBillingDetails, UpdateBillingDetails } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Visitor } from './admit-visitor.ts';

/** In milliseconds; the customers service calls the processor several times before it replies. */
const TIMEOUT_MS = 18_000;

interface Dependencies {
  readonly rpc: RpcClient;
}

/**
 * Finds the billing details of the visitor.
 * @throws Problem 404 `billing_details_not_offered`, `customer_not_found`; 502 or 503 when something is to be read and the
 * processor refuses or does not respond
 */
export function findBillingDetails({ rpc }: Dependencies) {
  return async (visitor: Visitor): Promise<PortalBillingDetails> =>
    rpc.call(FindBillingDetails, customerOf(visitor), TIMEOUT_MS);
}

/**
 * Changes the billing details of the visitor; absent fields stay.
 * @throws Problem what `findBillingDetails` throws; 422 `tax_id_invalid`, `tax_location_invalid`, `invoice_fields_full`, with
 * nothing changed
 */
export function updateBillingDetails({ rpc }: Dependencies) {
  return async (
    visitor: Visitor,
    wanted: PortalBillingDetailsUpdate,
    audit: AuditContext,
  ): Promise<PortalBillingDetails> =>
    rpc.call(UpdateBillingDetails, { ...customerOf(visitor), wanted, audit }, TIMEOUT_MS);
}

function customerOf({ config, scope, customerId }: Visitor) {
  if (!config.billingDetails.enabled)
    throw new Problem('not_found', 'billing_details_not_offered', 'The portal does not show billing details.');
  return { ...scope, customerId };
}
