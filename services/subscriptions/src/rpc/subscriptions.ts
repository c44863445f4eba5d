import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import {
  DescribeCustomerBilling,
  HasSubscribed,
  ScheduleCancellation,
  TakeInBilling,
} from '@billing/contracts/rpc/calls';
import { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { describeBilling } from '#operations/describe-billing.ts';
import { hasSubscribed } from '#operations/has-subscribed.ts';
import { scheduleCancellation } from '#operations/schedule-cancellation.ts';
import type { CustomerIntakes } from '#operations/take-in-billing.ts';
import { saveCustomerCopies } from '#persistence/copies.ts';
import { toState } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import { listLiveSubscriptions } from './list-live-subscriptions.ts';
import { listStates } from './list-states.ts';

/** What this service returns to other services. */
export function subscriptionRpc(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'operationLog' | 'now'> & {
    readonly intakes: CustomerIntakes;
  },
): RpcHandler[] {
  const { em, intakes } = dependencies;
  const isSubscriber = hasSubscribed(dependencies);
  const describe = describeBilling(dependencies);
  const schedule = scheduleCancellation(dependencies);
  return [
    rpcHandler(TakeInBilling, async ({ teamId, customer }) => {
      await saveCustomerCopies(em.fork(), [{ teamId, state: customer }]);
      return { isComplete: await intakes.takeIn({ teamId, projectId: customer.projectId }, customer.id) };
    }),
    rpcHandler(HasSubscribed, async ({ customerId, ...scope }) => ({
      subscribed: await isSubscriber(scope, customerId),
    })),
    rpcHandler(DescribeCustomerBilling, ({ customerId, invoiceLimit: limit, invoiceOffset: offset, ...scope }) =>
      describe(scope, customerId, { limit, offset }),
    ),
    rpcHandler(ScheduleCancellation, async ({ subscriptionId: id, customerId, cancelAtPeriodEnd, audit, ...scope }) =>
      toState(await schedule(scope, { id, customerId }, cancelAtPeriodEnd, audit)),
    ),
    rpcHandler(ListSubscriptionStates, listStates(em)),
    rpcHandler(CompareObjects.subscriptions, compareSubscriptions(em)),
    rpcHandler(ListLiveRecords.subscriptions, listLiveSubscriptions(em)),
  ];
}
