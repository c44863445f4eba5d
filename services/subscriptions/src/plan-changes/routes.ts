import type { Routes } from '@billing/service/definition';
import { planChangeOperations as operations } from '@billing/contracts/operations/plan-changes';
import { serve } from '@billing/service/serve';
import { toResource as toInvoice } from '#money/invoice.entity';
import { toResource } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import { changePlan } from './change-plan.ts';
import { dropPlanChange } from './drop-plan-change.ts';
import { previewChange } from './preview.ts';
import { setDiscount } from './set-discount.ts';

/** Changes of what a subscription bills. */
export function planChangeRoutes(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const preview = previewChange(dependencies);
  const change = changePlan(dependencies);
  const drop = dropPlanChange(dependencies);
  const set = setDiscount(dependencies);

  return app => {
    serve(app, operations.previewPlanChange, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
      preview: await preview(scope, { id }, body),
    }));
    serve(app, operations.changePlan, async ({ params, body, audit, operationKey, reply }) => {
      const { subscriptionId: id, ...scope } = params;
      const made = await change(scope, { id }, body, audit, operationKey);
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
    serve(
      app,
      operations.setSubscriptionDiscount,
      async ({ params: { subscriptionId: id, ...scope }, body: { promotionCode }, audit }) => ({
        subscription: toResource(await set(scope, { id }, promotionCode, audit)),
      }),
    );
  };
}
