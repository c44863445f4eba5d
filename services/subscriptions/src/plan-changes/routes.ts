import type { Routes } from '@billing/service/definition';
import { planChangeOperations as operations } from '@billing/contracts/operations/plan-changes';
import { subscriptionsOperations } from '@billing/contracts/operations/subscriptions';
import { subscriptionResume } from '@billing/contracts/resources/subscription-pause';
import { serve } from '@billing/service/serve';
import { bodyResolver } from '#copies/find-prices-by-key';
import { toResource as toInvoice } from '#money/invoice.entity';
import { toResource } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import { changePlan } from './change-plan.ts';
import { dropPlanChange } from './drop-plan-change.ts';
import { previewChange } from './preview.ts';
import { previewResume, resume } from './resume.ts';
import { setDiscount } from './set-discount.ts';

/** How a request without a body resumes. */
const AS_BEFORE = subscriptionResume.parse({});

/** Changes of what a subscription bills. */
export function planChangeRoutes(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const preview = previewChange(dependencies);
  const change = changePlan(dependencies);
  const resolved = bodyResolver(dependencies);
  const drop = dropPlanChange(dependencies);
  const set = setDiscount(dependencies);
  const [goOn, previewGoingOn] = [resume(dependencies), previewResume(dependencies)];

  return app => {
    serve(app, operations.previewPlanChange, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
      preview: await preview(scope, { id }, await resolved(scope, body)),
    }));
    serve(app, operations.changePlan, async ({ params, body, audit, operationKey, reply }) => {
      const { subscriptionId: id, ...scope } = params;
      const made = await change(scope, { id }, await resolved(scope, body), audit, operationKey);
      if (made.change.status === 'pending_payment') reply.code(202);
      return {
        change: made.change,
        invoice: made.invoice && toInvoice(made.invoice),
        subscription: toResource(made.subscription),
      };
    });
    serve(app, operations.dropPlanChange, async ({ params: { subscriptionId: id, ...scope }, audit }) => ({
      subscription: toResource(await drop(scope, { id }, audit)),
    }));
    serve(app, subscriptionsOperations.resumeSubscription, async ({ params, body, audit, operationKey }) => {
      const { subscriptionId: id, ...scope } = params;
      const resumed = await goOn(scope, { id }, body ?? AS_BEFORE, audit, operationKey);
      return {
        subscription: toResource(resumed.subscription),
        invoice: resumed.invoice && toInvoice(resumed.invoice),
      };
    });
    serve(app, subscriptionsOperations.previewResume, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
      preview: await previewGoingOn(scope, { id }, body ?? AS_BEFORE),
    }));
    serve(
      app,
      operations.setSubscriptionDiscount,
      async ({ params: { subscriptionId: id, ...scope }, body: { promotionCode }, audit }) => ({
        subscription: toResource(await set(scope, { id }, promotionCode, audit)),
      }),
    );
  };
}
