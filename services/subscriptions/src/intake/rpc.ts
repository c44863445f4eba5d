import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import { HasSubscribed, TakeInBilling } from '@billing/contracts/rpc/calls';
import { FindSequences } from '@billing/contracts/rpc/test-clocks';
import { findSequences } from '#state/find-sequences';
import { saveCustomerCopies } from '#copies/save-copies';
import type { Dependencies } from '../dependencies.ts';
import { hasSubscribed } from './has-subscribed.ts';
import type { CustomerIntakes } from './take-in-billing.ts';

/** What linking a customer, and a referral, need to know of the billing that there was before. */
export function intakeRpc(
  dependencies: Pick<Dependencies, 'em' | 'rpc'> & { readonly intakes: CustomerIntakes },
): RpcHandler[] {
  const { em, intakes } = dependencies;
  const isSubscriber = hasSubscribed(dependencies);
  return [
    rpcHandler(TakeInBilling, async ({ teamId, customer, again }) => {
      await saveCustomerCopies(em.fork(), [{ teamId, state: customer }]);
      const { id: customerId, projectId, processorCustomerId } = customer;
      if (again) {
        await intakes.takeInAgain({ customerId, teamId, projectId, processorCustomerId });
        return { isComplete: true };
      }
      return { isComplete: await intakes.takeIn({ teamId, projectId }, customerId) };
    }),
    rpcHandler(FindSequences, ({ customerIds, ...scope }) => findSequences(em.fork(), scope, customerIds)),
    rpcHandler(HasSubscribed, async ({ customerId, ...scope }) => ({
      subscribed: await isSubscriber(scope, customerId),
    })),
  ];
}
