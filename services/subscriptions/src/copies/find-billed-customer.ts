import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { Dependencies } from '../dependencies.ts';
import { CustomerCopy } from './customer-copy.entity.ts';
import { isUnavailable } from './find-offer.ts';
import { saveCustomerCopies } from './save-copies.ts';

/** How long a caller waits for the customers service, which replies in milliseconds. */
const RPC_TIMEOUT_MS = 1_000;

/**
 * Finds a customer who is to be billed, by our id. The customers service is called, so that one who was created or deleted a
 * moment ago counts; our copy serves while it is down.
 * @throws Problem 404 `customer_not_found`; 503 when it is down and there is no copy
 */
export function findBilledCustomer({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    customerId: CustomerId,
  ): Promise<{ readonly processorCustomerId: string }> => {
    try {
      const state = await rpc.call(FindCustomer, { teamId, projectId, customerId }, RPC_TIMEOUT_MS);
      if (!state) throw notFound('customer');
      await saveCustomerCopies(em.fork(), [{ teamId, state }]);
      return state;
    } catch (err) {
      const copy = isUnavailable(err) && (await em.fork().findOne(CustomerCopy, { id: customerId, teamId, projectId }));
      if (!copy) throw err;
      if (copy.deletedAt) throw notFound('customer');
      return copy;
    }
  };
}
