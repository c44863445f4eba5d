import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import { unavailable } from '@billing/contracts/problem';
import { saveCustomerCopies } from '#copies/save-copies';
import { CustomerCopy } from '#copies/customer-copy.entity';
import { Subscription } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import type { CustomerIntakes } from './take-in-billing.ts';

/**
 * Returns whether the customer has a subscription or ever had one, also from before it was linked.
 * @throws Problem `unavailable` when that is not known yet
 */
export function hasSubscribed({
  em,
  rpc,
  intakes,
}: Pick<Dependencies, 'em' | 'rpc'> & { readonly intakes: CustomerIntakes }) {
  return async ({ teamId, projectId }: ProjectScope, customerId: CustomerId): Promise<boolean> => {
    const isRecorded = async () =>
      (await em.fork().findOne(Subscription, { teamId, projectId, customerId }, { fields: ['id'] })) !== null;
    if (await isRecorded()) return true;
    if (!(await em.fork().findOne(CustomerCopy, { id: customerId, teamId, projectId }))) {
      const state = await rpc.call(FindCustomer, { teamId, projectId, customerId });
      if (state) await saveCustomerCopies(em.fork(), [{ teamId, state }]);
    }
    const isComplete = await intakes.takeIn({ teamId, projectId }, customerId);
    if (await isRecorded()) return true;
    if (isComplete) return false;
    throw unavailable('The subscriptions of this customer are still being read at the payment processor.');
  };
}
