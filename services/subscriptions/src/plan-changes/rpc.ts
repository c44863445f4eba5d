import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import {
  AcceptSaveOffer,
  ChangeCustomerPlan,
  DropCustomerPlan,
  FindSaveOffer,
  PreviewCustomerPlan,
  PreviewCustomerResume,
  ResumeCustomerSubscription,
  type ChosenPlan,
} from '@billing/contracts/rpc/as-customer';
import type { PlanChange } from '@billing/contracts/resources/plan-change';
import { toState } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import { changePlan } from './change-plan.ts';
import { dropPlanChange } from './drop-plan-change.ts';
import { previewChange } from './preview.ts';
import { previewResume, resume } from './resume.ts';
import { acceptSaveOffer, findSaveOffer } from './save-offer.ts';

/** What customers change in the portal. */
export function planChangeRpc(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'operationLog' | 'now'>,
): RpcHandler[] {
  const findOffer = findSaveOffer(dependencies);
  const accept = acceptSaveOffer(dependencies);
  const preview = previewChange(dependencies);
  const change = changePlan(dependencies);
  const drop = dropPlanChange(dependencies);
  const [goOn, previewGoingOn] = [resume(dependencies), previewResume(dependencies)];
  return [
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
    rpcHandler(PreviewCustomerResume, ({ subscriptionId: id, customerId, billingCycle, ...scope }) =>
      previewGoingOn(scope, { id, customerId }, { billingCycle }),
    ),
    rpcHandler(
      ResumeCustomerSubscription,
      async ({ teamId, projectId, subscriptionId: id, customerId, billingCycle, expectedAmountDue, ...made }) => {
        const wanted = { billingCycle, expectedAmountDue };
        const key = { id, customerId };
        return toState((await goOn({ teamId, projectId }, key, wanted, made.audit, made.operationKey)).subscription);
      },
    ),
  ];
}

/** A customer's change waits for its payment, and leaves a trial and the period as they are. */
const wantedBy = (plan: ChosenPlan): PlanChange => ({
  ...plan,
  paymentBehavior: 'pending_if_incomplete',
  trial: 'keep',
  billingCycle: 'keep',
});
