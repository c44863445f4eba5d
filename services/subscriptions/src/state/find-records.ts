import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindCustomer, FindCustomerByExternalId } from '@billing/contracts/rpc/calls';
import { saveCustomerCopies } from '#copies/save-copies';
import type { Dependencies } from '../dependencies.ts';
import { findCustomerRecord, type CustomerRef, type FoundCustomer } from './find-customer-records.ts';

/** How long the customers service has to respond, in milliseconds. */
const RPC_TIMEOUT_MS = 1_000;

/**
 * Finds a customer with all that decides what the customer may use. The customers service is called when there is no copy: a
 * product may read it right after it has created the customer. Of its subscriptions no more than `shown` are found whole.
 * @throws Problem 404; `unavailable` when there is no copy and the customers service does not respond
 */
export function findRecords({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (scope: ProjectScope, ref: CustomerRef, shown?: number): Promise<FoundCustomer> => {
    const { teamId, projectId } = scope;
    const find = () => findCustomerRecord(em.fork(), scope, ref, shown);
    let found = await find();
    if (!found) {
      const state =
        'id' in ref
          ? await rpc.call(FindCustomer, { teamId, projectId, customerId: ref.id }, RPC_TIMEOUT_MS)
          : await rpc.call(FindCustomerByExternalId, { teamId, projectId, ...ref }, RPC_TIMEOUT_MS);
      if (state) {
        await saveCustomerCopies(em.fork(), [{ teamId, state }]);
        found = await find();
      }
    }
    if (!found) throw notFound('customer');
    return found;
  };
}
