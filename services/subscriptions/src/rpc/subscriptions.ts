import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import {
  AcceptSaveOffer,
  ChangeCustomerPlan,
  DescribeCustomerBilling,
  DropCustomerPlan,
  FindSaveOffer,
  HasSubscribed,
  PreviewCustomerPlan,
  ScheduleCancellation,
  TakeInBilling,
  type ChosenPlan,
} from '@billing/contracts/rpc/calls';
import type { PlanChange } from '@billing/contracts/resources/plan-change';
import { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { changePlan } from '#operations/change-plan.ts';
import { describeBilling } from '#operations/describe-billing.ts';
import { dropPlanChange } from '#operations/drop-plan-change.ts';
import { hasSubscribed } from '#operations/has-subscribed.ts';
import { previewChange } from '#operations/preview-change.ts';
import { acceptSaveOffer, findSaveOffer } from '#operations/save-offer.ts';
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
  const findOffer = findSaveOffer(dependencies);
  const accept = acceptSaveOffer(dependencies);
  const preview = previewChange(dependencies);
  const change = changePlan(dependencies);
  const drop = dropPlanChange(dependencies);
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
    rpcHandler(ScheduleCancellation, async ({ teamId, projectId, subscriptionId: id, customerId, audit, ...wanted }) =>
      toState(await schedule({ teamId, projectId }, { id, customerId }, wanted, audit)),
    ),
    rpcHandler(FindSaveOffer, ({ subscriptionId: id, customerId, promotionCodeId, ...scope }) =>
      findOffer(scope, { id, customerId }, promotionCodeId),
    ),
    rpcHandler(AcceptSaveOffer, async ({ subscriptionId: id, customerId, promotionCodeId, audit, ...scope }) =>
      toState(await accept(scope, { id, customerId }, promotionCodeId, audit)),
    ),
    rpcHandler(PreviewCustomerPlan, ({ subscriptionId: id, customerId, plan, ...scope }) =>
      preview(scope, { id, customerId }, wantedBy(plan)),
    ),
    rpcHandler(ChangeCustomerPlan, async ({ subscriptionId: id, customerId, plan, operationKey, audit, ...scope }) => {
      const made = await change(scope, { id, customerId }, wantedBy(plan), audit, operationKey);
      return { change: made.change, subscription: toState(made.subscription) };
    }),
    rpcHandler(DropCustomerPlan, async ({ subscriptionId: id, customerId, audit, ...scope }) =>
      toState(await drop(scope, { id, customerId }, audit)),
    ),
    rpcHandler(ListSubscriptionStates, listStates(em)),
    rpcHandler(CompareObjects.subscriptions, compareSubscriptions(em)),
    rpcHandler(ListLiveRecords.subscriptions, listLiveSubscriptions(em)),
  ];
}

/** A customer's change waits for its payment, and leaves a trial as it is. */
const wantedBy = (plan: ChosenPlan): PlanChange => ({
  ...plan,
  paymentBehavior: 'pending_if_incomplete',
  trial: 'keep',
});
