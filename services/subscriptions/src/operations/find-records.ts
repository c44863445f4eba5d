import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindCustomer, FindCustomerByExternalId } from '@billing/contracts/rpc/calls';
import { saveCustomerCopies } from '#persistence/copies.ts';
import { findCustomerRecord, type CustomerRef, type FoundCustomer } from '#persistence/find-customer-records.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long the customers service has to respond, in milliseconds. */
const RPC_TIMEOUT_MS = 1_000;

/**
 * Finds a customer with all that decides what the customer may use. The customers service is called when there is no copy: a
 * product may read it right after it has created the customer.
 * @throws Problem 404; `unavailable` when there is no copy and the customers service does not respond
 */
export function findRecords({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  const find = (scope: ProjectScope, ref: CustomerRef) => findCustomerRecord(em.fork(), scope, ref);
  return async (scope: ProjectScope, ref: CustomerRef): Promise<FoundCustomer> => {
    const { teamId, projectId } = scope;
    let found = await find(scope, ref);
    if (!found) {
      const state =
        'id' in ref
          ? await rpc.call(FindCustomer, { teamId, projectId, customerId: ref.id }, RPC_TIMEOUT_MS)
          : await rpc.call(FindCustomerByExternalId, { teamId, projectId, ...ref }, RPC_TIMEOUT_MS);
      if (state) {
        await saveCustomerCopies(em.fork(), [{ teamId, state }]);
        found = await find(scope, ref);
      }
    }
    if (!found) throw notFound('customer');
    return found;
  };
}
