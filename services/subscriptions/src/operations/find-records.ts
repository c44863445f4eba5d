import type { ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
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
  return async (scope: ProjectScope, ref: CustomerRef): Promise<FoundCustomer> => {
    try {
      return await findCustomerRecord(em.fork(), scope, ref);
    } catch (err) {
      if (!(err instanceof Problem) || err.kind !== 'not_found') throw err;
      const { teamId, projectId } = scope;
      const state =
        'id' in ref
          ? await rpc.call(FindCustomer, { teamId, projectId, customerId: ref.id }, RPC_TIMEOUT_MS)
          : await rpc.call(FindCustomerByExternalId, { teamId, projectId, ...ref }, RPC_TIMEOUT_MS);
      if (!state) throw err;
      await saveCustomerCopies(em.fork(), [{ teamId, state }]);
      return findCustomerRecord(em.fork(), scope, ref);
    }
  };
}
